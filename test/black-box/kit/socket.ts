import type { IncomingMessage } from 'node:http';
import { WebSocket } from 'ws';
import { within } from './wait.ts';

export interface SocketOptions {
  ca: string | undefined;
  protocol?: string;
  headers?: Record<string, string>;
}

export interface Closed {
  code: number;
  reason: string;
  /** Time of receipt by this process's monotonic clock, in ms. */
  at: number;
}

export interface Opened {
  socket: WebSocket;
  closed: Promise<Closed>;
}

/**
 * Opens a socket. `onMessage` receives every message from the first one on.
 * @throws Error with the HTTP status if the upgrade is rejected
 */
export async function openSocket(
  url: string,
  options: SocketOptions,
  onMessage: (data: Buffer, isBinary: boolean) => void,
): Promise<Opened> {
  const socket = connect(url, options);
  socket.on('message', (data, isBinary) => onMessage(data as Buffer, isBinary));
  const closed = new Promise<Closed>((resolve) =>
    socket.once('close', (code, reason) =>
      resolve({ code, reason: reason.toString(), at: performance.now() }),
    ),
  );
  const opened = new Promise<void>((resolve, reject) => {
    socket.once('open', () => resolve());
    socket.once('error', reject);
  });
  await within(`the socket ${url} to open`, opened);
  socket.on('error', () => {});
  return { socket, closed };
}

/** Returns the response to a rejected upgrade: its HTTP status and the envelope. */
export async function refusedUpgrade(
  url: string,
  options: SocketOptions,
): Promise<{ status: number; body: { code: number; message: string; data: object } }> {
  const socket = connect(url, options);
  const answer = new Promise<IncomingMessage>((resolve, reject) => {
    socket.once('unexpected-response', (_request, response) => resolve(response));
    socket.once('open', () => reject(new Error(`the socket ${url} opened unexpectedly`)));
    socket.once('error', reject);
  });
  try {
    const response = await within(`the upgrade ${url} to be answered`, answer);
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk as Buffer);
    return { status: response.statusCode!, body: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
  } finally {
    socket.on('error', () => {});
    socket.terminate();
  }
}

function connect(url: string, { ca, protocol, headers }: SocketOptions): WebSocket {
  return new WebSocket(url, protocol ? [protocol] : [], {
    ca,
    headers,
    agent: false,
    perMessageDeflate: false,
    handshakeTimeout: 60_000,
    maxPayload: 32 * 1024 * 1024,
  });
}
