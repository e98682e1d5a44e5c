import { setTimeout as delay } from 'node:timers/promises';
import type { PhoneSession } from '../client/phone-session.ts';
import type { Phonebooth } from '../client/phonebooth.ts';
import { isServiceFailure } from '../client/retry.ts';
import { ServiceError } from '../client/service-error.ts';
import type { SessionEndedError } from '../client/session-ended-error.ts';
import { withDeadline } from '../util/deadline.ts';
import type { Log } from '../util/log.ts';
import { unlessAborted } from '../util/unless-aborted.ts';
import { endMessage, ToolError } from './error-messages.ts';
import { HeldPhone } from './held-phone.ts';

/** Maximum number of phones that one AI agent can hold at a time. */
export const MAX_PHONES = 10;
/** Maximum number of concurrent tool calls per AI agent. */
const MAX_CALLS = 16;
/** Maximum number of notices kept for the next call. When there are more, the oldest are dropped. */
const MAX_NOTICES = 20;
const END_ATTEMPTS = 3;
const END_RETRY_MS = 300;
/** Upper bound on the time that disposal takes to end all sessions, even if the service does not respond. */
const CLOSE_TIMEOUT_MS = 5_000;

/**
 * The phones that one AI agent holds. Disposing this object ends their sessions, so that they end with the agent's
 * connection.
 */
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

  /** Whether disposing this object would interrupt anything: a held phone, a borrow in progress or a running call. */
  get isInUse(): boolean {
    return this.#held.size + this.#borrowing.size + this.#calls > 0;
  }

  /** Time since the last call or request, ms; 0 while a call is running. */
  get idleMs(): number {
    return this.#calls > 0 ? 0 : performance.now() - this.#lastUsedAt;
  }

  recordUse(): void {
    this.#lastUsedAt = performance.now();
  }

  /**
   * Runs the work of one tool call within its deadline.
   * @param work its signal is aborted when the caller cancels, the deadline passes or this object is disposed
   * @throws ToolError when the deadline passes, the call is cancelled or too many calls are running
   */
  async during<T>(
    work: (signal: AbortSignal) => Promise<T>,
    limits: { signal: AbortSignal; deadlineMs: number },
  ): Promise<T> {
    if (this.#calls >= MAX_CALLS)
      throw new ToolError(`${MAX_CALLS} calls are already running. Wait until one of them has finished.`);
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
      this.recordUse();
    }
  }

  /** Adds the phone whose session `begin` starts. @throws ToolError when the agent has too many phones */
  async take(begin: () => Promise<PhoneSession>, options: { isShared?: boolean } = {}): Promise<HeldPhone> {
    // The work of a tool call may continue after its cancellation. A session that starts after disposal would never
    // be ended.
    if (this.#closing.signal.aborted) throw new ToolError('The call was cancelled.');
    if (this.#held.size + this.#borrowing.size >= MAX_PHONES)
      throw new ToolError(
        `You have ${MAX_PHONES} phones, which is the maximum. End a session with give_back first.`,
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

  /** As `pick`, but returns null instead of throwing. */
  find(name: string | undefined): HeldPhone | null {
    const found = name === undefined ? this.held : this.#called(name);
    return found.length === 1 ? found[0]! : null;
  }

  /**
   * Finds a phone by its session id, device id or name. Without a name it returns the only phone held. @throws
   * ToolError
   */
  pick(name: string | undefined): HeldPhone {
    const held = this.held;
    if (held.length === 0) throw new ToolError('You have no phone. Borrow one with borrow_phone.');
    if (name === undefined) {
      if (held.length === 1) return held[0]!;
      throw new ToolError(`You have several phones. Choose one with \`phone\`: ${this.#titles()}.`);
    }
    const found = this.#called(name);
    if (found.length === 1) return found[0]!;
    const quoted = JSON.stringify(name.slice(0, 64));
    const problem =
      found.length === 0
        ? `You have no phone ${quoted}.`
        : `Several of your phones are called ${quoted}; use the session id.`;
    throw new ToolError(`${problem} You have ${this.#titles()}.`);
  }

  async endSession(phone: HeldPhone): Promise<number> {
    // Removed before the session ends, so that the end of this session does not produce a notice.
    this.#held.delete(phone.session.id);
    try {
      return (await phone.session.disconnect()).minutes_charged ?? 0;
    } catch (error) {
      this.#held.set(phone.session.id, phone);
      throw error;
    }
  }

  /**
   * Detects sessions that have ended without a notification. A connection that breaks does not state why the session
   * ended.
   */
  async refreshSessions(): Promise<void> {
    const look = async (phone: HeldPhone) => {
      const { status, end_reason, end_detail } = await this.service.api.getSession(phone.session.id);
      if (status !== 'disconnected') return;
      this.#ended(phone, { reason: end_reason ?? 'unknown', detail: end_detail });
      phone.session.detach();
    };
    // If the lookup of a session fails, its state is unknown and no notice is added.
    await Promise.allSettled(this.held.map(look));
  }

  /** Returns what happened since the last call, and clears it, so that each notice is returned once. */
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
    await withDeadline(all(), CLOSE_TIMEOUT_MS, 'sessions of an AI agent could not be ended').catch(
      (error: unknown) => this.#log.warn({ err: error }, 'AI agent disconnected; its sessions may continue'),
    );
    for (const { session } of this.held) session.detach();
  }

  /** Ends the session, and retries after every failure of the service, because no other client would end it. */
  async #letGo(phone: HeldPhone): Promise<void> {
    this.#held.delete(phone.session.id);
    if (phone.isShared) return phone.session.detach();
    for (let attempt = 1; ; attempt += 1) {
      try {
        await phone.session.disconnect();
        return;
      } catch (error) {
        const mayRecover = error instanceof ServiceError && isServiceFailure(error);
        if (!mayRecover || attempt === END_ATTEMPTS) {
          phone.session.detach();
          this.#log.warn(
            { err: error, sessionId: phone.session.id },
            'session of an AI agent could not be ended',
          );
          return;
        }
        await delay(END_RETRY_MS);
      }
    }
  }

  #ended(phone: HeldPhone, end: Pick<SessionEndedError, 'reason' | 'detail'>): void {
    if (this.#held.get(phone.session.id) !== phone) return;
    this.#held.delete(phone.session.id);
    this.#notices.push(
      `${phone.title}: ${endMessage(end)} Borrow another with borrow_phone if you need one.`,
    );
    this.#notices = this.#notices.slice(-MAX_NOTICES);
  }

  #called(name: string): HeldPhone[] {
    return this.held.filter(({ session, name: own }) =>
      [session.id, session.deviceId, own].some((known) => known.toLowerCase() === name.toLowerCase()),
    );
  }

  #titles(): string {
    return this.held.map(({ title }) => title).join(', ');
  }
}
