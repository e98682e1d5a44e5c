import { WebSocket } from 'ws';
import type { Data } from './api.ts';
import { type Closed, openSocket, type SocketOptions } from './socket.ts';
import { until } from './wait.ts';

/** One text message of a control socket, parsed. */
export interface RpcMessage {
  jsonrpc: '2.0';
  id?: number | string | null;
  method?: string;
  params?: Data;
  result?: Data;
  error?: { code: number; message: string; data?: Data };
  /** Time of receipt by this process's monotonic clock, in ms. */
  at: number;
}

/** Client of a control socket that speaks JSON-RPC 2.0 and scrcpy's binary messages. */
export class Controller implements AsyncDisposable {
  /** Every received message. A batch is one array. */
  readonly received: (RpcMessage | RpcMessage[])[];
  readonly socket: WebSocket;
  readonly closed: Promise<Closed>;
  private nextId = 1;

  private constructor(socket: WebSocket, closed: Promise<Closed>, received: (RpcMessage | RpcMessage[])[]) {
    this.socket = socket;
    this.closed = closed;
    this.received = received;
  }

  static async open(url: string, options: SocketOptions): Promise<Controller> {
    const received: (RpcMessage | RpcMessage[])[] = [];
    const { socket, closed } = await openSocket(url, options, (data, isBinary) => {
      if (isBinary) throw new Error('a binary message arrived on a control socket');
      const message = JSON.parse(data.toString('utf8'));
      received.push(Array.isArray(message) ? message : { ...message, at: performance.now() });
    });
    return new Controller(socket, closed, received);
  }

  /** Opens a control socket and waits until the phone is ready. */
  static async ready(url: string, options: SocketOptions): Promise<Controller> {
    const controller = await Controller.open(url, options);
    await controller.notified('session.ready');
    return controller;
  }

  get notifications(): RpcMessage[] {
    return this.received.filter(
      (message) => !Array.isArray(message) && message.method !== undefined,
    ) as RpcMessage[];
  }

  /** Sends a request and waits for its response. */
  async request(method: string, params?: object): Promise<RpcMessage> {
    const id = this.nextId++;
    this.send({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });
    return this.answerTo(id);
  }

  /**
   * Sends a request and returns its result.
   * @throws Error with the code and message of the error response
   */
  async call(method: string, params?: object): Promise<Data> {
    const { result, error } = await this.request(method, params);
    if (error) throw new Error(`${method}: ${error.code} ${error.message}`);
    return result;
  }

  /**
   * Waits for the response to a request.
   * @throws Error if the socket closes before the response arrives
   */
  answerTo(id: number | string | null): Promise<RpcMessage> {
    return until(`the answer to ${id}`, () => {
      const answer = this.received.find(
        (message): message is RpcMessage =>
          !Array.isArray(message) && message.method === undefined && message.id === id,
      );
      if (!answer && this.socket.readyState === WebSocket.CLOSED)
        throw new Error(`the socket was closed before the answer to ${id}`);
      return answer;
    });
  }

  /** Returns the first notification of this method, past or future, that satisfies `matches`. */
  notified(
    method: string,
    matches: (params: Data) => boolean = () => true,
    deadlineMs?: number,
  ): Promise<RpcMessage> {
    return until(
      `the notification ${method}`,
      () => this.notifications.find((message) => message.method === method && matches(message.params)),
      { deadlineMs },
    );
  }

  send(message: object | string | Buffer): void {
    const isRaw = typeof message === 'string' || Buffer.isBuffer(message);
    this.socket.send(isRaw ? message : JSON.stringify(message));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.socket.terminate();
    await this.closed;
  }
}
