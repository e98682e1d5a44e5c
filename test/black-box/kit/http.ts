import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';

const ANSWER_DEADLINE_MS = 60_000;

export interface HttpRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string | Buffer;
  ca: string | undefined;
}

export interface HttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  bytes: Buffer;
}

/**
 * Sends one request on a new connection. fetch() is unsuitable: it does not accept a custom CA, and it corrects
 * requests that a test deliberately malforms.
 */
export function sendHttp({ method, url, headers, body, ca }: HttpRequest): Promise<HttpAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
  const send = url.startsWith('https:') ? httpsRequest : httpRequest;
  const { origin } = new URL(url);
  const request = send(origin, {
    method,
    // The path as written: URL would normalize the percent-encoding.
    path: url.slice(origin.length),
    headers,
    agent: false,
    ca,
    timeout: ANSWER_DEADLINE_MS,
  });
  request.on('response', (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () =>
      resolve({ status: response.statusCode!, headers: response.headers, bytes: Buffer.concat(chunks) }),
    );
    response.on('error', reject);
  });
  request.on('timeout', () => request.destroy(new Error(`timed out: ${method} ${url}`)));
  request.on('error', reject);
  request.end(body);
  return promise;
}
