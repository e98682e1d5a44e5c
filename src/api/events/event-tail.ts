import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../../contract/errors.ts';
import { EVENT_HEARTBEAT_MS, EVENT_RETRY_MS, MAX_LISTENERS_PER_ACCOUNT } from '../../contract/event.ts';
import type { EventPage, LoggedEvent } from '../../store/event-log.ts';
import type { Principal } from '../../store/store.ts';
import { Bell } from '../../util/bell.ts';
import type { ApiContext } from '../implement.ts';
import { type Messages, readMessages } from './read-messages.ts';
import {
  eventMessage,
  HEARTBEAT,
  idMessage,
  retryMessage,
  ServerSentEvents,
  withId,
} from './server-sent-events.ts';

export interface EventTailOptions {
  /** The log is read this often even when the bus is silent. */
  pollMs?: number;
  heartbeatMs?: number;
  /** A client that takes nothing for this long is cut off. */
  stuckMs?: number;
  /** How often the keys of those who listen are looked at. */
  keyCheckMs?: number;
  maxListeners?: number;
  maxListenersPerAccount?: number;
}

const DEFAULTS: Required<EventTailOptions> = {
  pollMs: 500,
  heartbeatMs: EVENT_HEARTBEAT_MS,
  stuckMs: 30_000,
  keyCheckMs: 2_000,
  maxListeners: 1_000,
  maxListenersPerAccount: MAX_LISTENERS_PER_ACCOUNT,
};

/** Events that are read at a time. Who comes back with more than this behind is told to read the lists again. */
const PAGE = 250;
/** Between two looks: what changes meanwhile is read together. */
const REST_MS = 30;
/** Clients that are let in between two looks at the log, so that many who come back at once hold up nobody. */
const MAX_ARRIVALS = 32;

type Parts = Pick<ApiContext, 'store' | 'bus' | 'log' | 'origins' | 'tokenKeys'>;
type Listener = Pick<Principal, 'accountId' | 'keyId' | 'role'> & { stream: ServerSentEvents };

/** Someone who wants to listen from where they left off, or from now on (null). */
interface Arrival {
  listener: Listener;
  lastEventId: string | null;
  admitted: PromiseWithResolvers<void>;
}

/**
 * Reads the log of events once for all who listen through this process, while anyone does. One look after the other:
 * what changed is read, then the rows as they are, then everyone is told; so nobody is told an older state after a
 * newer one. What could not be read because the store was away is read when it is back.
 */
export class EventTail implements AsyncDisposable {
  private readonly parts: Parts;
  private readonly options: Required<EventTailOptions>;
  private readonly listeners = new Set<Listener>();
  private readonly arrivals: Arrival[] = [];
  private readonly bell = new Bell();
  private running: Promise<void> | null = null;
  private stopping = false;
  private cursor: string | null = null;
  private keysCheckedAt = 0;
  private storeAway = false;

  constructor(parts: Parts, options: EventTailOptions = {}) {
    this.parts = parts;
    this.options = { ...DEFAULTS, ...options };
  }

  /** How many listen through this process. */
  get listening(): number {
    return this.listeners.size;
  }

  /**
   * Lets a client listen: to the phones that its account sees, and to its sessions.
   * @param lastEventId the last id that the client has seen; null: it wants what comes from now on
   * @throws ApiError 40029 when too many listen; what the store throws when the log cannot be read
   */
  async listen({ accountId, keyId, role }: Principal, lastEventId: string | null): Promise<ServerSentEvents> {
    if (this.stopping) throw stopped();
    this.checkRoom(accountId);
    const listener = { accountId, keyId, role, stream: new ServerSentEvents() };
    const admitted = Promise.withResolvers<void>();
    this.arrivals.push({ listener, lastEventId, admitted });
    this.running ??= this.run();
    this.bell.ring();
    await admitted.promise;
    return listener.stream;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stopping = true;
    this.bell.ring();
    await this.running;
  }

  private checkRoom(accountId: string): void {
    const { maxListeners, maxListenersPerAccount } = this.options;
    const present = [...this.listeners, ...this.arrivals.map(({ listener }) => listener)];
    if (present.length >= maxListeners) {
      throw tooMany(`this server has ${maxListeners} event streams open already`, maxListeners);
    }
    if (present.filter((listener) => listener.accountId === accountId).length < maxListenersPerAccount)
      return;
    const message = `the account has ${maxListenersPerAccount} event streams open; close one, or share one`;
    throw tooMany(message, maxListenersPerAccount);
  }

  private async run(): Promise<void> {
    const { bus } = this.parts;
    const subscription = bus.subscribe('session.changed', () => this.bell.ring());
    const heartbeat = setInterval(() => this.beat(), this.options.heartbeatMs);
    this.cursor = null;
    while (!this.stopping && this.listeners.size + this.arrivals.length > 0) {
      const more = await this.look();
      if (more) continue;
      await delay(REST_MS);
      await this.bell.wait(this.options.pollMs);
    }
    clearInterval(heartbeat);
    subscription.close();
    this.running = null;
    if (!this.stopping) return;
    for (const { stream } of this.listeners) stream.finish();
    for (const { admitted } of this.arrivals.splice(0)) admitted.reject(stopped());
  }

  /** Answers whether there is more to be read at once. Never throws: who is let in with it hears of what went wrong. */
  private async look(): Promise<boolean> {
    const arrivals = this.arrivals.splice(0, MAX_ARRIVALS);
    try {
      await this.checkKeys();
      const { store } = this.parts;
      const news = await store.readEvents(this.cursor, PAGE);
      const missed = await Promise.all(
        arrivals.map(({ lastEventId }) => lastEventId === null || store.readEvents(lastEventId, PAGE)),
      );
      const messages = await this.describe([news, ...missed], arrivals);
      for (const listener of this.listeners) tell(listener, news, messages, news.cursor);
      for (const [index, arrival] of arrivals.entries()) this.admit(arrival, missed[index]!, messages, news);
      this.cursor = news.cursor;
      if (this.storeAway) this.parts.log.info({}, 'the store answers again; events go on');
      this.storeAway = false;
      return news.more;
    } catch (error) {
      if (!this.storeAway) this.parts.log.warn({ err: error }, 'events cannot be read; trying on');
      this.storeAway = true;
      for (const { admitted } of arrivals) admitted.reject(error);
      return false;
    }
  }

  private describe(pages: (EventPage | true)[], arrivals: Arrival[]): Promise<Messages> {
    const accounts = new Set([...this.listeners].map(({ accountId }) => accountId));
    for (const { listener } of arrivals) accounts.add(listener.accountId);
    const isHeard = ({ accountId }: LoggedEvent) => accountId === null || accounts.has(accountId);
    const events = pages.flatMap((page) => (page === true ? [] : page.events));
    return readMessages(this.parts, events.filter(isHeard), accounts);
  }

  /** From here on it is told what all are told; some of that it may have heard just now. */
  private admit(
    { listener, admitted }: Arrival,
    missed: EventPage | true,
    messages: Messages,
    { cursor }: EventPage,
  ): void {
    const { stream } = listener;
    stream.tell(retryMessage(EVENT_RETRY_MS));
    if (missed !== true) tell(listener, { ...missed, reset: missed.reset || missed.more }, messages, cursor);
    stream.tell(idMessage(cursor));
    this.listeners.add(listener);
    stream.once('close', () => this.listeners.delete(listener));
    admitted.resolve();
  }

  /** A key that was revoked, or has expired, hears nothing more. */
  private async checkKeys(): Promise<void> {
    if (performance.now() - this.keysCheckedAt < this.options.keyCheckMs) return;
    const keyIds = new Set([...this.listeners].map(({ keyId }) => keyId));
    const valid = keyIds.size === 0 ? keyIds : new Set(await this.parts.store.validGrants([...keyIds]));
    for (const { keyId, stream } of this.listeners) if (!valid.has(keyId)) stream.finish();
    this.keysCheckedAt = performance.now();
  }

  private beat(): void {
    // With the id, so that one who hears nothing for days can still come back
    const message = HEARTBEAT + (this.cursor === null ? '' : idMessage(this.cursor));
    for (const { stream } of this.listeners) {
      if (stream.stuckMs > this.options.stuckMs) stream.destroy();
      else stream.tell(message);
    }
  }
}

/**
 * Only the last event has the id, `cursor`: a client that was cut off in between goes on from before the first.
 */
function tell(listener: Listener, page: EventPage, messages: Messages, cursor: string): void {
  const told = new Set(page.reset ? [eventMessage('reset', {})] : []);
  for (const event of page.reset ? [] : page.events) {
    const message = messages.get(event, listener);
    if (message) told.add(message);
  }
  const all = [...told];
  const last = all.pop();
  if (last) listener.stream.tell(`${all.join('')}${withId(cursor, last)}`);
}

const tooMany = (message: string, limit: number) =>
  new ApiError('rateLimited', message, { limit }, { 'retry-after': '10' });

const stopped = () =>
  new ApiError('unavailable', 'this server is about to stop; try again', {}, { 'retry-after': '1' });
