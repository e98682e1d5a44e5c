import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const ANSWER_DEADLINE_MS = 30_000;

export interface HttpAnswer {
  status: number;
  body: Buffer;
}

/**
 * A keep-alive connection that sends one request at a time. It uses the bare socket, because Node's own HTTP client
 * costs as much CPU as the server under test. It only supports answers with a content-length.
 */
export class HttpConnection {
  private readonly socket: Socket;
  private received: Buffer = Buffer.alloc(0);
  private waiting: PromiseWithResolvers<HttpAnswer> | null = null;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.setTimeout(ANSWER_DEADLINE_MS, () =>
      socket.destroy(new Error('the server did not respond in time')),
    );
    socket.on('data', (chunk) => this.take(chunk));
    socket.on('error', (error) => this.waiting?.reject(error));
    socket.on('close', () => this.waiting?.reject(new Error('the server closed the connection')));
  }

  static async open(port: number): Promise<HttpConnection> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return new HttpConnection(socket);
  }

  /** Sends `request`, the raw bytes that httpRequest() builds. */
  ask(request: string): Promise<HttpAnswer> {
    if (this.socket.destroyed) return Promise.reject(new Error('the server has closed the connection'));
    const waiting = Promise.withResolvers<HttpAnswer>();
    this.waiting = waiting;
    this.socket.write(request, 'latin1');
    return waiting.promise;
  }

  close(): void {
    this.socket.destroy();
  }

  private take(chunk: Buffer): void {
    this.received = this.received.length === 0 ? chunk : Buffer.concat([this.received, chunk]);
    const headEnd = this.received.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const head = this.received.toString('latin1', 0, headEnd);
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1];
    if (length === undefined) {
      this.waiting?.reject(new Error(`the response has no content-length:\n${head}`));
      return;
    }
    const end = headEnd + 4 + Number(length);
    if (this.received.length < end) return;
    const answer = { status: Number(head.slice(9, 12)), body: this.received.subarray(headEnd + 4, end) };
    this.received = this.received.subarray(end);
    this.waiting?.resolve(answer);
  }
}

/** Builds the raw bytes of a request. */
export function httpRequest(method: 'GET' | 'POST', path: string, key: string, body = ''): string {
  const type = body ? 'Content-Type: application/json\r\n' : '';
  return (
    `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n${type}` +
    `Content-Length: ${body.length}\r\n\r\n${body}`
  );
}
