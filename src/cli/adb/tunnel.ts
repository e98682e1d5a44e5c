import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { createWebSocketStream, WebSocket } from 'ws';
import { ServiceError } from '../../client/service-error.ts';
import { ERRORS } from '../../contract/http/errors.ts';

/** A host may have to query its phone first; the gateway times out after 17 s. */
const OPEN_TIMEOUT_MS = 20_000;
const MAX_ANSWER_BYTES = 64 * 1024;

/** How a tunnel ended: the WebSocket close code, or 1006 when the connection closed without one. */
export interface TunnelEnd {
  code: number;
  reason: string;
}

/** One adb tunnel: it carries the bytes of one connection between an adb server and the adb daemon of the phone. */
export interface Tunnel {
  stream: Duplex;
  ended: Promise<TunnelEnd>;
}

/**
 * Resolves when the phone's adb is connected.
 * @throws ServiceError; Error when the phone has no adb, or none that it can share
 */
export async function openTunnel(url: string): Promise<Tunnel> {
  const socket = new WebSocket(url, { perMessageDeflate: false, handshakeTimeout: OPEN_TIMEOUT_MS });
  const opened = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<TunnelEnd>();
  socket.once('open', opened.resolve);
  socket.once('unexpected-response', (request, response) => {
    void readRefusal(new URL(url).origin, response).then((refusal) => {
      opened.reject(refusal);
      request.destroy();
    });
  });
  socket.on('error', (error) => {
    opened.reject(
      new ServiceError(`cannot reach the control host ${new URL(url).origin}: ${error.message}`, 0, 0),
    );
  });
  socket.once('close', (code, reason) => ended.resolve({ code, reason: reason.toString() }));
  await opened.promise;
  const stream = createWebSocketStream(socket);
  stream.on('error', () => {});
  return { stream, ended: ended.promise };
}

async function readRefusal(origin: string, response: IncomingMessage): Promise<Error> {
  const status = response.statusCode ?? 0;
  let text = '';
  try {
    for await (const part of response.setEncoding('utf8')) {
      text += part;
      if (text.length > MAX_ANSWER_BYTES) break;
    }
    const { code, message } = JSON.parse(text) as { code: number; message: string };
    // The phone does not allow adb: no other key or role would change that.
    return code === ERRORS.forbidden.code ? new Error(message) : new ServiceError(message, code, status);
  } catch {
    return new Error(
      `${origin} answered with HTTP ${status}, which is not a response of Phonebooth; check the proxy in front of it`,
    );
  }
}
