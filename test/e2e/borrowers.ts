import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, type Api, type Session, succeeded } from '../black-box/kit/api.ts';
import { randomFrom } from '../fixtures/random.ts';
import type { Acknowledged } from './acknowledged.ts';

/** Longer than any outage in these tests. */
const ANSWER_DEADLINE_MS = 60_000;
const RETRY_MS = 100;
const NOT_AVAILABLE = 40010;
const UNAVAILABLE = 50300;

export interface BorrowersOptions {
  /** Clients of the same deployment, one for each of its api processes. */
  apis: readonly Api[];
  /** The phones to borrow. */
  deviceIds: readonly string[];
  seen: Acknowledged;
  seed: number;
  clients?: number;
}

/**
 * Clients that continuously borrow and return phones, with the retries that a client of a fleet should perform. If a
 * request gets no response or 50300, the client retries it at the next api process. A connect is retried with the
 * same Idempotency-Key. The outcome of every request is therefore known in the end.
 */
export class Borrowers implements AsyncDisposable {
  private readonly options: BorrowersOptions;
  private readonly running: Promise<unknown>;
  private stopping = false;

  constructor(options: BorrowersOptions) {
    this.options = options;
    const { clients = 2, seed } = options;
    this.running = Promise.all(Array.from({ length: clients }, (_, n) => this.run(randomFrom(seed + n))));
    this.running.catch(() => {
      this.stopping = true;
    });
  }

  /**
   * Resolves when every client has received its responses and has ended its session.
   * @throws the error of a client that received an unexpected response
   */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.running;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stopping = true;
    await this.running.catch(() => {});
  }

  private async run(random: () => number): Promise<void> {
    const { deviceIds, seen } = this.options;
    while (!this.stopping) {
      const deviceId = deviceIds[Math.floor(random() * deviceIds.length)]!;
      const duration = 1 + Math.floor(random() * 9);
      const headers = { 'idempotency-key': crypto.randomUUID() };
      const answer = await this.answered(random, (api) =>
        api.post<Session>(`/devices/${deviceId}/connect`, { duration }, { headers }),
      );
      if (answer.code !== NOT_AVAILABLE) {
        const session = succeeded(answer);
        seen.connected(session);
        await delay(random() * 1_000);
        const path = `/sessions/${session.session_id}/disconnect`;
        seen.disconnected(succeeded(await this.answered(random, (api) => api.post<Session>(path))));
      }
      await delay(100 + random() * 300);
    }
  }

  private async answered(
    random: () => number,
    ask: (api: Api) => Promise<Answer<Session>>,
  ): Promise<Answer<Session>> {
    const { apis } = this.options;
    const deadline = performance.now() + ANSWER_DEADLINE_MS;
    for (let at = Math.floor(random() * apis.length); ; at++) {
      const answer = await ask(apis[at % apis.length]!).catch((error: unknown) => {
        if (!isOutage(error) || performance.now() > deadline) throw error;
        return null;
      });
      if (answer && (answer.code !== UNAVAILABLE || performance.now() > deadline)) return answer;
      await delay(RETRY_MS);
    }
  }
}

/**
 * Whether the process was unreachable, closed the connection or stalled, possibly for so long that the request timed
 * out (408).
 */
function isOutage(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return (
    ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes(code ?? '') || /^timed out: |answered 408,/.test(message)
  );
}
