import { setTimeout as delay } from 'node:timers/promises';
import type { PhoneSession } from '../client/phone-session.ts';
import type { Phonebooth } from '../client/phonebooth.ts';
import { ServiceError } from '../client/service-error.ts';
import type { SessionEndedError } from '../client/session-ended-error.ts';
import { withDeadline } from '../util/deadline.ts';
import type { Log } from '../util/log.ts';
import { HeldPhone } from './held-phone.ts';
import { endInWords, ToolError } from './words.ts';

/** Phones that one agent may hold at a time. */
export const MOST_PHONES = 10;
/** Calls that one agent may have under way. */
const MOST_CALLS = 16;
/** Things to tell at the next call; the oldest are forgotten. */
const MOST_NOTICES = 20;
const GIVE_BACK_ATTEMPTS = 3;
const GIVE_BACK_PAUSE_MS = 300;
/** Giving all phones back takes no longer than this, whatever the service does. */
const CLOSE_TIMEOUT_MS = 5_000;

/** The phones that one agent holds. Disposing it gives them back: they end with the agent's connection. */
export class BorrowedPhones implements AsyncDisposable {
  readonly service: Phonebooth;
  readonly #log: Log;
  readonly #held = new Map<string, HeldPhone>();
  readonly #borrowing = new Set<Promise<HeldPhone>>();
  readonly #closing = new AbortController();
  #notices: string[] = [];
  #calls = 0;
  #lastUsedAt = performance.now();

  constructor(service: Phonebooth, log: Log) {
    this.service = service;
    this.#log = log;
  }

  get held(): readonly HeldPhone[] {
    return [...this.#held.values()];
  }

  /** Whether there is something that its end would end. */
  get isInUse(): boolean {
    return this.#held.size + this.#borrowing.size + this.#calls > 0;
  }

  /** How long nothing was asked for, ms; 0 while a call is under way. */
  get idleMs(): number {
    return this.#calls > 0 ? 0 : performance.now() - this.#lastUsedAt;
  }

  noteUse(): void {
    this.#lastUsedAt = performance.now();
  }

  /**
   * Does one tool's work, within the time that it has.
   * @param work its signal is aborted when the caller gives up, time is up, or the agent goes
   */
  async during<T>(
    work: (signal: AbortSignal) => Promise<T>,
    limits: { signal: AbortSignal; deadlineMs: number },
  ): Promise<T> {
    if (this.#calls >= MOST_CALLS)
      throw new ToolError(`${MOST_CALLS} calls are running already. Wait until one of them has finished.`);
    const late = AbortSignal.timeout(limits.deadlineMs);
    const signal = AbortSignal.any([limits.signal, late, this.#closing.signal]);
    this.#calls += 1;
    try {
      return await unlessAborted(work(signal), signal);
    } catch (error) {
      if (late.aborted) {
        const seconds = limits.deadlineMs / 1000;
        throw new ToolError(`Timed out after ${seconds} s. Call look to see the state of the phone.`);
      }
      if (signal.aborted) throw new ToolError('The call was cancelled.');
      throw error;
    } finally {
      this.#calls -= 1;
      this.noteUse();
    }
  }

  /** Takes on a phone that `begin` lends. @throws ToolError when there are too many */
  async take(begin: () => Promise<PhoneSession>, options: { isShared?: boolean } = {}): Promise<HeldPhone> {
    // Its work may go on after it was cancelled; nobody would give the phone back.
    if (this.#closing.signal.aborted) throw new ToolError('The call was cancelled.');
    if (this.#held.size + this.#borrowing.size >= MOST_PHONES)
      throw new ToolError(
        `You have ${MOST_PHONES} phones, which is the maximum. Give one back with give_back first.`,
      );
    const borrowing = this.#take(begin, options.isShared ?? false);
    this.#borrowing.add(borrowing);
    try {
      return await borrowing;
    } finally {
      this.#borrowing.delete(borrowing);
    }
  }

  async #take(begin: () => Promise<PhoneSession>, isShared: boolean): Promise<HeldPhone> {
    const session = await begin();
    const device = await this.service.api.getDevice(session.deviceId).catch(() => null);
    const phone = new HeldPhone(session, device?.name ?? session.deviceId, isShared);
    this.#held.get(session.id)?.session.detach();
    this.#held.set(session.id, phone);
    void session.ended.then((end) => this.#ended(phone, end));
    return phone;
  }

  /** The phone that is meant: by its session id, device id or name, or the only one that there is. @throws ToolError */
  pick(name: string | undefined): HeldPhone {
    const held = this.held;
    if (held.length === 0) throw new ToolError('You have no phone. Borrow one with borrow_phone.');
    if (name === undefined) {
      if (held.length === 1) return held[0]!;
      throw new ToolError(`You have several phones. Choose one with \`phone\`: ${this.#titles()}.`);
    }
    const found = held.filter(({ session, name: own }) =>
      [session.id, session.deviceId, own].some((known) => known.toLowerCase() === name.toLowerCase()),
    );
    if (found.length === 1) return found[0]!;
    const quoted = JSON.stringify(name.slice(0, 64));
    const problem =
      found.length === 0
        ? `You have no phone ${quoted}.`
        : `Several of your phones are called ${quoted}; use the session id.`;
    throw new ToolError(`${problem} You have ${this.#titles()}.`);
  }

  async giveBack(phone: HeldPhone): Promise<number> {
    // Ahead of its end, which nobody needs to be told of then.
    this.#held.delete(phone.session.id);
    try {
      return (await phone.session.disconnect()).minutes_charged ?? 0;
    } catch (error) {
      this.#held.set(phone.session.id, phone);
      throw error;
    }
  }

  /** Finds out which phones have ended whose end has not been heard of yet: a connection that broke does not say why. */
  async lookForEnds(): Promise<void> {
    const look = async (phone: HeldPhone) => {
      const { status, end_reason, end_detail } = await this.service.api.getSession(phone.session.id);
      if (status !== 'disconnected') return;
      this.#ended(phone, { reason: end_reason ?? 'unknown', detail: end_detail });
      phone.session.detach();
    };
    // Of one that cannot be looked up nothing is known, and nothing is told.
    await Promise.allSettled(this.held.map(look));
  }

  /** What happened since the last call, each thing once. */
  takeNotices(): string[] {
    const notices = this.#notices;
    this.#notices = [];
    return notices;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    const all = async () => {
      await Promise.allSettled(this.#borrowing);
      await Promise.all(this.held.map((phone) => this.#letGo(phone)));
    };
    await withDeadline(all(), CLOSE_TIMEOUT_MS, 'the phones were not given back').catch((error: unknown) =>
      this.#log.warn({ err: error }, 'an AI agent is gone and its phones may still be lent'),
    );
    for (const { session } of this.held) session.detach();
  }

  /** Tried again where the service could not be reached: nobody else would give it back. */
  async #letGo(phone: HeldPhone): Promise<void> {
    this.#held.delete(phone.session.id);
    if (phone.isShared) return phone.session.detach();
    for (let attempt = 1; ; attempt += 1) {
      try {
        await phone.session.disconnect();
        return;
      } catch (error) {
        const isPassing = error instanceof ServiceError && (error.status === 0 || error.status >= 500);
        if (!isPassing || attempt === GIVE_BACK_ATTEMPTS) {
          phone.session.detach();
          this.#log.warn(
            { err: error, sessionId: phone.session.id },
            'a phone of an AI agent was not given back',
          );
          return;
        }
        await delay(GIVE_BACK_PAUSE_MS);
      }
    }
  }

  #ended(phone: HeldPhone, end: Pick<SessionEndedError, 'reason' | 'detail'>): void {
    if (this.#held.get(phone.session.id) !== phone) return;
    this.#held.delete(phone.session.id);
    this.#notices.push(
      `${phone.title}: ${endInWords(end)} Borrow another with borrow_phone if you need one.`,
    );
    this.#notices = this.#notices.slice(-MOST_NOTICES);
  }

  #titles(): string {
    return this.held.map(({ title }) => title).join(', ');
  }
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
    // Who has given up on it does not want its error either.
    work.catch(() => {});
  }
}
