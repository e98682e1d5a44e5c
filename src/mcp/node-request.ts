import type { IncomingMessage, ServerResponse } from 'node:http';
import { toWebRequest } from '@modelcontextprotocol/node';
import { MAX_MESSAGE_BYTES } from './http-sessions.ts';

/**
 * A request of Node's server as the MCP library takes it, its body read; its signal is aborted when the client goes before
 * it has the whole answer. Null when the body is too large.
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
