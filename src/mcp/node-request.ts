import type { IncomingMessage, ServerResponse } from 'node:http';
import { toWebRequest } from '@modelcontextprotocol/node';
import { MAX_MESSAGE_BYTES } from './http-sessions.ts';

/**
 * Converts a request of Node's HTTP server to the form that the MCP library takes, and reads its body. The signal of
 * the result is aborted when the client disconnects before it has received the whole response.
 * @returns null when the body is larger than `MAX_MESSAGE_BYTES`
 */
export async function requestOf(request: IncomingMessage, response: ServerResponse): Promise<Request | null> {
  const gone = new AbortController();
  response.once('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  try {
    const options = { signal: gone.signal, maxRequestBodySize: MAX_MESSAGE_BYTES };
    return await toWebRequest(request, undefined, options);
  } catch (error) {
    if (error instanceof Error && error.name === 'RequestBodyTooLargeError') return null;
    throw error;
  }
}
