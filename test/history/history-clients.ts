import { setTimeout as delay } from 'node:timers/promises';
import type { Api, Session } from '../black-box/kit/api.ts';
import { randomFrom } from '../fixtures/random.ts';
import type { Operation, Request } from './history.ts';

/** Number of attempts without a response after which a client abandons a request. */
const MAX_ATTEMPTS = 4;
const LONGEST_PAUSE_MS = 600;
/** Share of sessions that no client ends, so that they expire. */
const LEFT = 0.15;
/** The store was unavailable. The request may still have taken effect. */
const UNAVAILABLE = 50300;

/** The API of each process, for one account. */
export interface AccountClient {
  name: string;
  apis: readonly { process: string; api: Api }[];
}

/** A client's next step. It is drawn independently of earlier outcomes, so that a seed reproduces it. */
interface Step {
  what: 'connect' | 'connect twice' | 'disconnect' | 'disconnect twice' | 'extend' | 'read' | 'usage';
  device: number;
  minutes: number;
  session: number;
  process: number;
  /** Whether the client leaves the session that this step creates to expire. */
  isLeft: boolean;
  pauseMs: number;
}

/** Relative frequency of each kind of step. */
const WEIGHTS: Record<Step['what'], number> = {
  connect: 8,
  'connect twice': 3,
  disconnect: 9,
  'disconnect twice': 2,
  extend: 3,
  read: 4,
  usage: 1,
};
const HABITS = (Object.keys(WEIGHTS) as Step['what'][]).flatMap((what) => Array(WEIGHTS[what]).fill(what));

/** A client that performs random steps and records all of its requests and responses. */
export class HistoryClient {
  private readonly account: AccountClient;
  private readonly deviceIds: readonly string[];
  private readonly operations: Operation[];
  private readonly random: () => number;
  private readonly name: string;
  private readonly sessions: string[] = [];
  private keys = 0;

  /** @param options `operations` is the list to which the client appends its records */
  constructor(
    account: AccountClient,
    options: { name: string; deviceIds: readonly string[]; operations: Operation[]; seed: number },
  ) {
    this.account = account;
    this.name = options.name;
    this.deviceIds = options.deviceIds;
    this.operations = options.operations;
    this.random = randomFrom(options.seed);
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const step = this.draw();
      await this.perform(step);
      await delay(step.pauseMs);
    }
  }

  /**
   * Sends a request to one process and records the outcome.
   * @throws the error if an outage does not explain it, such as an invalid response
   */
  async ask(request: Request, process: number): Promise<Operation> {
    const { name: account, apis } = this.account;
    const { api, process: where } = apis[process % apis.length]!;
    const calledAt = performance.now();
    const answered = await send(api, request).catch((error: unknown) => {
      if (!isOutage(error)) throw error;
      return null;
    });
    const isAnswer = answered !== null && answered.code !== UNAVAILABLE;
    const answer = isAnswer ? { at: performance.now(), code: answered.code, data: answered.data } : null;
    const operation = { account, process: where, request, calledAt, answer };
    this.operations.push(operation);
    return operation;
  }

  private draw(): Step {
    const { random, deviceIds } = this;
    return {
      what: HABITS[Math.floor(random() * HABITS.length)],
      device: Math.floor(random() * deviceIds.length),
      minutes: 1 + Math.floor(random() * 2),
      session: Math.floor(random() * 2),
      process: Math.floor(random() * this.account.apis.length),
      isLeft: random() < LEFT,
      pauseMs: random() * LONGEST_PAUSE_MS,
    };
  }

  private async perform({ what, device, minutes, session, process, isLeft }: Step): Promise<void> {
    if (what === 'usage') await this.ask({ do: 'usage' }, process);
    if (what === 'connect' || what === 'connect twice') {
      this.keys += 1;
      const key = `${this.name}-${this.keys}`;
      const deviceId = this.deviceIds[device]!;
      // A session that is left to expire has the shortest length, so that it expires within the run.
      const request: Request = { do: 'connect', deviceId, minutes: isLeft ? 1 : minutes, key };
      const granted = await this.sendUntilAnswered(request, process, what === 'connect twice');
      if (granted && !isLeft) this.sessions.push(granted.session_id);
    }
    const sessionId = this.sessions.at(-1 - session);
    if (sessionId === undefined) return;
    if (what === 'read') await this.ask({ do: 'read', sessionId }, process);
    if (what === 'extend') await this.ask({ do: 'extend', sessionId, minutes: 1 }, process);
    if (what === 'disconnect' || what === 'disconnect twice')
      await this.sendUntilAnswered({ do: 'disconnect', sessionId }, process, what === 'disconnect twice');
  }

  /**
   * Sends a request, and retries it at the next process if there is no response. `twice` sends the first attempt to
   * two processes concurrently.
   */
  private async sendUntilAnswered(
    request: Request,
    process: number,
    twice: boolean,
  ): Promise<Session | null> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const at = process + attempt;
      const asked = await Promise.all([
        this.ask(request, at),
        ...(twice && attempt === 0 ? [this.ask(request, at + 1)] : []),
      ]);
      const answers = asked.flatMap(({ answer }) => answer ?? []);
      const granted = answers.find(({ code }) => code === 0);
      if (granted) return granted.data as Session;
      if (answers.length > 0) return null;
    }
    return null;
  }
}

function send(api: Api, request: Request) {
  switch (request.do) {
    case 'connect': {
      const { deviceId, minutes, key } = request;
      const headers = { 'idempotency-key': key };
      return api.post(`/devices/${deviceId}/connect`, { duration: minutes }, { headers });
    }
    case 'extend':
      return api.post(`/sessions/${request.sessionId}/extend`, { duration: request.minutes });
    case 'disconnect':
      return api.post(`/sessions/${request.sessionId}/disconnect`);
    case 'read':
      return api.get(`/sessions/${request.sessionId}`);
    case 'usage':
      return api.get('/usage');
  }
}

/** Whether the process was unreachable, closed the connection, or stalled. */
function isOutage(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes(code ?? '') || /^timed out: /.test(message);
}
