/** A small server that speaks WebDriver and is started as the `appium` program. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';

const port = Number(process.argv[process.argv.indexOf('--port') + 1]);
// A driver may start programs.
const helper = spawn('sleep', ['600']);

function* endless() {
  for (;;) yield 'x'.repeat(1_000_000);
}

createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const path = request.url!.replace(/^\/session\/[\w-]+/, '');
  const answer = (value: unknown, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ value }));
  if (path === '/status') answer({ ready: true, pids: [process.pid, helper.pid] });
  else if (path === '/session') {
    const body = JSON.parse(Buffer.concat(chunks).toString());
    answer({ sessionId: 'appium-1', capabilities: { ...body.capabilities.alwaysMatch, env: process.env } });
  } else if (path === '/pids') answer([process.pid, helper.pid]);
  else if (path === '/large') answer('x'.repeat(3_000_000));
  else if (path === '/endless') Readable.from(endless()).pipe(response);
  else if (path === '/ignore-signals') {
    process.on('SIGTERM', () => {});
    answer(null);
  } else if (path === '/crash') process.exit(1);
  else if (path !== '/hang') answer({ error: 'unknown command', message: 'no\u202e such command' }, 404);
}).listen(port, '127.0.0.1');
