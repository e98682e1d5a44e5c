/** Clients of control sockets, in a process of their own: each has one call under way at most. */
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { answerParent } from './child.ts';
import { quantile } from './report.ts';

const OPEN_DEADLINE_MS = 10_000;
const ANSWER_DEADLINE_MS = 10_000;
/** Ids of one length, so that all messages have one. */
const FIRST_ID = 1_000_000;

export interface CallOrder {
  port: number;
  /** One connection each. */
  paths: string[];
  seconds: number;
  /** What goes behind the id in each request. */
  call: { method: string; params: object };
  /** Calls a second of each connection; null: the next one as soon as there is an answer. */
  perSecond: number | null;
  /** The gateway says that the phone is ready before it takes calls; a bare peer says nothing. */
  awaitReady: boolean;
}

export interface Called {
  calls: number;
  p50: number;
  p99: number;
}

/** A connection whose messages are answered in turn. */
class Caller {
  private readonly socket: WebSocket;
  private heard = Promise.withResolvers<void>();

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', () => this.heard.resolve());
    socket.on('error', (error) => this.heard.reject(error));
    socket.on('close', (code) => this.heard.reject(new Error(`the socket was closed with ${code}`)));
    this.heard.promise.catch(() => {});
  }

  static async open(url: string, awaitReady: boolean): Promise<Caller> {
    const socket = new WebSocket(url, { perMessageDeflate: false, handshakeTimeout: OPEN_DEADLINE_MS });
    const caller = new Caller(socket);
    const ready = caller.heard.promise;
    await new Promise<void>((resolve, reject) => socket.once('open', resolve).once('error', reject));
    if (awaitReady) await ready;
    return caller;
  }

  async call(request: string): Promise<void> {
    this.heard = Promise.withResolvers();
    this.socket.send(request);
    const late = new Error(`no answer within ${ANSWER_DEADLINE_MS} ms`);
    const timer = setTimeout(this.heard.reject, ANSWER_DEADLINE_MS, late);
    await this.heard.promise;
    clearTimeout(timer);
  }

  close(): void {
    this.socket.terminate();
  }
}

async function call(order: CallOrder): Promise<Called> {
  const { port, paths, seconds, perSecond, awaitReady } = order;
  const callers = await Promise.all(
    paths.map((path) => Caller.open(`ws://127.0.0.1:${port}${path}`, awaitReady)),
  );
  const times: number[] = [];
  const end = performance.now() + seconds * 1000;
  const run = async (caller: Caller) => {
    // Spread over the period, as people's touches are.
    if (perSecond !== null) await delay((Math.random() * 1000) / perSecond);
    for (let id = FIRST_ID; performance.now() < end; id++) {
      const before = performance.now();
      await caller.call(JSON.stringify({ jsonrpc: '2.0', id, ...order.call }));
      times.push(performance.now() - before);
      if (perSecond !== null) await delay(Math.max(0, before + 1000 / perSecond - performance.now()));
    }
  };
  try {
    await Promise.all(callers.map(run));
  } finally {
    for (const caller of callers) caller.close();
  }
  return { calls: times.length, p50: quantile(times, 0.5), p99: quantile(times, 0.99) };
}

answerParent({ call });
