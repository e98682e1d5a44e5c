/** The peer of the WebDriver endpoint: a bare HTTP server that reads each request and answers with a text of fixed size. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerParent } from './child.ts';

/** `bytes` has the size of the answer to each path. */
async function open({ bytes }: { bytes: Record<string, number> }) {
  const answers = new Map(Object.entries(bytes).map(([path, size]) => [path, 'x'.repeat(size)]));
  const server = createServer((request, response) => {
    const answer = answers.get(request.url!) ?? '';
    request.resume().once('end', () => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': answer.length });
      response.end(answer);
    });
  });
  // The connection is idle while the endpoint is measured.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { port: (server.address() as AddressInfo).port };
}

answerParent({ open });
