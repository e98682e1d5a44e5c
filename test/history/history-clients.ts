import { setTimeout as delay } from 'node:timers/promises';
import type { Api, Session } from '../black-box/kit/api.ts';
import { randomFrom } from '../fixtures/random.ts';
import type { Operation, Request } from './history.ts';

/** After that many attempts without an answer a client gives a request up. */
const MAX_ATTEMPTS = 4;
const LONGEST_PAUSE_MS = 600;
/** The share of sessions that nobody returns: they expire. */
const LEFT = 0.15;
/** The store could not be reached: it may have done what was asked. */
const OUT_OF_REACH = 50300;

/** Where an account's requests go: one API of each process. */
export interface AccountClient {
  name: string;
  apis: readonly { process: string; api: Api }[];
}

/** What one client does next, drawn before anything is known of what came before: a seed repeats it. */
interface Step {
  what: 'connect' | 'connect twice' | 'disconnect' | 'disconnect twice' | 'extend' | 'read' | 'usage';
  device: number;
  minutes: number;
  session: number;
  process: number;
  /** A session that it begins is never returned. */
  isLeft: boolean;
  pauseMs: number;
}

/** How often each is drawn, of all times. */
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

/** A client of random habits that writes down all that it asks and is answered. */
export class HistoryClient {
  private readonly account: AccountClient;
  private readonly deviceIds: readonly string[];
  private readonly operations: Operation[];
  private readonly random: () => number;
  private readonly name: string;
  private readonly sessions: string[] = [];
  private keys = 0;

  /** @param operations where it writes them down */
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

  /** Asks one process, and writes down what came of it. @throws what no outage explains, such as a wrong answer */
  async ask(request: Request, process: number): Promise<Operation> {
    const { name: account, apis } = this.account;
    const { api, process: where } = apis[process % apis.length]!;
    const calledAt = performance.now();
    const answered = await send(api, request).catch((error: unknown) => {
      if (!isOutage(error)) throw error;
      return null;
    });
    const isAnswer = answered !== null && answered.code !== OUT_OF_REACH;
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
      // The shortest there is for one that is left, so that it expires within the run.
      const request: Request = { do: 'connect', deviceId, minutes: isLeft ? 1 : minutes, key };
      const granted = await this.insist(request, process, what === 'connect twice');
      if (granted && !isLeft) this.sessions.push(granted.session_id);
    }
    const sessionId = this.sessions.at(-1 - session);
    if (sessionId === undefined) return;
    if (what === 'read') await this.ask({ do: 'read', sessionId }, process);
    if (what === 'extend') await this.ask({ do: 'extend', sessionId, minutes: 1 }, process);
    if (what === 'disconnect' || what === 'disconnect twice')
      await this.insist({ do: 'disconnect', sessionId }, process, what === 'disconnect twice');
  }

  /** Asks again, at the next process, what is not answered. `twice`: at two at the same time, too. */
  private async insist(request: Request, process: number, twice: boolean): Promise<Session | null> {
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

/** The process is not there, went away, or stands still. */
function isOutage(error: unknown): boolean {
  const { code, message } = error as NodeJS.ErrnoException;
  return (
    ['ECONNREFUSED', 'ECONNRESET', 'EPIPE'].includes(code ?? '') || /not answered in time$/.test(message)
  );
}
