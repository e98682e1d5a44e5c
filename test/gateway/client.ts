import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished, vi } from 'vitest';
import WebSocket from 'ws';

/** Waits for a condition, with a deadline that is long enough for a busy machine. */
export const until = <T>(check: () => T | Promise<T>) => vi.waitFor(check, { timeout: 60_000, interval: 5 });

/**
 * Replaces the clock of time limits for one test. Time then passes only while `until` polls and when the test says so,
 * and not while the machine stands still.
 */
export function fakeClock(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
}

type Gateway = {
  handleUpgrade(...args: Parameters<NonNullable<Parameters<Server['on']>[1]>>): void;
};

/** Starts a real HTTP server on a free port that passes its upgrades to the gateway. */
export async function serve(gateway: Gateway): Promise<{ origin: string; close(): Promise<void> }> {
  const server = createServer();
  server.on('upgrade', (request, socket, head) => gateway.handleUpgrade(request, socket, head));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `ws://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A client that records all received messages. */
export class Client {
  readonly messages: (string | Uint8Array)[] = [];
  closed: { code: number; reason: string } | null = null;
  readonly socket: WebSocket;
  readonly opened: Promise<void>;

  constructor(url: string, protocols?: string[], options?: WebSocket.ClientOptions) {
    this.socket = new WebSocket(url, protocols, options);
    this.socket.on('message', (data: Buffer, isBinary) =>
      this.messages.push(isBinary ? new Uint8Array(data) : data.toString()),
    );
    this.socket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() };
    });
    this.opened = new Promise((resolve, reject) => {
      this.socket.on('open', resolve);
      this.socket.on('error', reject);
    });
    this.opened.catch(() => {});
  }

  /** Received text messages, parsed. */
  get texts(): Record<string, unknown>[] {
    return this.messages.filter((message) => typeof message === 'string').map((text) => JSON.parse(text));
  }

  /** Received binary messages. */
  get packets(): Uint8Array[] {
    return this.messages.filter((message) => typeof message !== 'string');
  }
}

/** Returns the HTTP response of a rejected upgrade. */
export function refusal(
  url: string,
  options: { protocols?: string[]; headers?: Record<string, string> } = {},
): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: Record<string, unknown> }> {
  const socket = new WebSocket(url, options.protocols, { headers: options.headers });
  return new Promise((resolve, reject) => {
    socket.on('open', () => {
      socket.terminate();
      reject(new Error('the socket was accepted'));
    });
    socket.on('error', reject);
    socket.on('unexpected-response', async (_request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      resolve({
        status: response.statusCode ?? 0,
        headers: response.headers,
        body: JSON.parse(Buffer.concat(chunks).toString()),
      });
    });
  });
}
