/** Viewers of a stream, in a separate process. They read every message and record the age of each packet. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { answerParent } from './child.ts';
import { MessageScanner, packetFraming, webSocketFraming } from './message-scanner.ts';
import { micros, STAMP_OFFSET } from './packet-source.ts';
import { quantile } from './report.ts';

const OPEN_DEADLINE_MS = 10_000;

export interface Seen {
  packets: number;
  /** Age of the packets when they had arrived completely, in milliseconds. */
  p50: number;
  p99: number;
}

let sockets: Socket[] = [];
let ages: number[] = [];

/** Adds viewers to the existing ones. With a path they connect as WebSockets, without one as plain TCP connections. */
async function open(options: { port: number; path?: string; count: number }): Promise<void> {
  sockets.push(...(await Promise.all(Array.from({ length: options.count }, () => openOne(options)))));
}

async function openOne({ port, path }: { port: number; path?: string }): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const scanner = new MessageScanner(path ? webSocketFraming : packetFraming, (head, length) => {
    if (length > STAMP_OFFSET + 8) ages.push((micros() - head.readDoubleBE(STAMP_OFFSET)) / 1000);
  });
  const rest = path ? await upgrade(socket, path) : Buffer.alloc(0);
  scanner.take(rest);
  socket.on('data', (chunk) => scanner.take(chunk));
  socket.on('error', () => {});
  return socket;
}

/** Returns the bytes that followed the 101 response. */
async function upgrade(socket: Socket, path: string): Promise<Buffer> {
  const key = randomBytes(16).toString('base64');
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
  );
  let answer = Buffer.alloc(0);
  while (answer.indexOf('\r\n\r\n') < 0) {
    const [chunk] = await once(socket, 'data', { signal: AbortSignal.timeout(OPEN_DEADLINE_MS) });
    answer = Buffer.concat([answer, chunk]);
  }
  if (!answer.toString('latin1').startsWith('HTTP/1.1 101')) throw new Error(answer.toString());
  return answer.subarray(answer.indexOf('\r\n\r\n') + 4);
}

async function watch({ seconds }: { seconds: number }): Promise<Seen> {
  ages = [];
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  return { packets: ages.length, p50: quantile(ages, 0.5), p99: quantile(ages, 0.99) };
}

function close(): void {
  for (const socket of sockets) socket.destroy();
  sockets = [];
}

answerParent({ open, watch, close });
