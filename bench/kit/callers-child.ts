/** Clients of control sockets, in a separate process. Each client has at most one pending call. */
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { answerParent } from './child.ts';
import { quantile } from './report.ts';

const OPEN_DEADLINE_MS = 10_000;
const ANSWER_DEADLINE_MS = 10_000;
/** All ids have the same length, so that all messages do. */
const FIRST_ID = 1_000_000;

export interface CallOrder {
  port: number;
  /** Paths of the control sockets. Each gets one connection. */
  paths: string[];
  seconds: number;
  /** Part of each request that follows the id. */
  call: { method: string; params: object };
  /** Calls per second on each connection. With null, each call is sent as soon as the previous one is answered. */
  perSecond: number | null;
  /** Whether to wait for a ready message before the first call. The gateway sends one; the bare peer does not. */
  awaitReady: boolean;
}

export interface Called {
  calls: number;
  p50: number;
  p99: number;
}

/** A connection whose messages are answered in order. */
class Caller {
  private readonly socket: WebSocket;
  private answered = Promise.withResolvers<void>();

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', () => this.answered.resolve());
    socket.on('error', (error) => this.answered.reject(error));
    socket.on('close', (code) => this.answered.reject(new Error(`the socket was closed with ${code}`)));
    this.answered.promise.catch(() => {});
  }

  static async open(url: string, awaitReady: boolean): Promise<Caller> {
    const socket = new WebSocket(url, { perMessageDeflate: false, handshakeTimeout: OPEN_DEADLINE_MS });
    const caller = new Caller(socket);
    const ready = caller.answered.promise;
    await new Promise<void>((resolve, reject) => socket.once('open', resolve).once('error', reject));
    if (awaitReady) await ready;
    return caller;
  }

  async call(request: string): Promise<void> {
    this.answered = Promise.withResolvers();
    this.socket.send(request);
    const late = new Error(`no response within ${ANSWER_DEADLINE_MS} ms`);
    const timer = setTimeout(this.answered.reject, ANSWER_DEADLINE_MS, late);
    await this.answered.promise;
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
    // Starts at a random point of the period, because the touches of different people are not in step.
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
