import { setTimeout as delay } from 'node:timers/promises';
import {
  EVENT_HEARTBEAT_MS,
  EVENT_RETRY_MS,
  MAX_LISTENERS_PER_ACCOUNT,
} from '../../contract/events/event.ts';
import { ApiError } from '../../contract/http/errors.ts';
import type { Principal } from '../../store/accounts/account-store.ts';
import type { EventPage, LoggedEvent } from '../../store/events/event-log.ts';
import { Notifier } from '../../util/notifier.ts';
import type { ControlPlaneContext } from '../context.ts';
import { type Messages, readMessages } from './read-messages.ts';
import type { Listener } from './serializers.ts';
import {
  eventMessage,
  HEARTBEAT,
  idMessage,
  retryMessage,
  ServerSentEvents,
  withId,
} from './server-sent-events.ts';

export interface EventTailOptions {
  /** Interval at which the event log is read even when no bus message arrives. */
  pollMs?: number;
  heartbeatMs?: number;
  /** A client that reads nothing for this long is disconnected. */
  stuckMs?: number;
  /** Interval at which the keys of connected clients are checked. */
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

/**
 * Events per read. A client that reconnects with more events missed than this receives `reset` and must read the
 * lists again.
 */
const PAGE = 250;
/** Pause between two reads, so that changes in the meantime are read together. */
const POLL_PAUSE_MS = 30;
/**
 * Maximum number of clients admitted between two reads of the log, so that many clients that reconnect at once do not
 * delay the others.
 */
const MAX_ARRIVALS = 32;

type Context = Pick<ControlPlaneContext, 'store' | 'bus' | 'log' | 'origins' | 'tokenKeys'>;
type Client = Listener & { stream: ServerSentEvents };

/** A client that wants to receive events after its last event id, or from now on (null). */
interface Arrival {
  listener: Client;
  lastEventId: string | null;
  admitted: PromiseWithResolvers<void>;
}

/**
 * Reads the event log once for all clients of this process, as long as there are any. The reads are sequential: each
 * reads the changes, then the current rows, and then sends them to all clients, so no client receives an older state
 * after a newer one. After a store outage, reading continues where it stopped.
 */
export class EventTail implements AsyncDisposable {
  private readonly context: Context;
  private readonly options: Required<EventTailOptions>;
  private readonly listeners = new Set<Client>();
  private readonly arrivals: Arrival[] = [];
  private readonly notifier = new Notifier();
  private running: Promise<void> | null = null;
  private stopping = false;
  private cursor: string | null = null;
  private keysCheckedAt = 0;
  private isStoreUnavailable = false;

  constructor(context: Context, options: EventTailOptions = {}) {
    this.context = context;
    this.options = { ...DEFAULTS, ...options };
  }

  /** Number of clients connected to this process. */
  get listening(): number {
    return this.listeners.size;
  }

  /**
   * Admits a client. It receives events about the phones that are visible to its account, and about its sessions.
   * @param lastEventId the last id that the client received; null to start from now on
   * @throws ApiError 40029 when too many clients are connected; what the store throws when the log cannot be read
   */
  async listen({ accountId, keyId, role }: Principal, lastEventId: string | null): Promise<ServerSentEvents> {
    if (this.stopping) throw stopped();
    this.checkRoom(accountId);
    const listener = { accountId, keyId, role, stream: new ServerSentEvents() };
    const admitted = Promise.withResolvers<void>();
    this.arrivals.push({ listener, lastEventId, admitted });
    this.running ??= this.run();
    this.notifier.notify();
    await admitted.promise;
    return listener.stream;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stopping = true;
    this.notifier.notify();
    await this.running;
  }

  private checkRoom(accountId: string): void {
    const { maxListeners, maxListenersPerAccount } = this.options;
    const present = [...this.listeners, ...this.arrivals.map(({ listener }) => listener)];
    if (present.length >= maxListeners) {
      throw tooMany(
        `this server already has ${maxListeners} open event streams; try again later`,
        maxListeners,
      );
    }
    if (present.filter((listener) => listener.accountId === accountId).length < maxListenersPerAccount)
      return;
    const message = `the account already has ${maxListenersPerAccount} open event streams; close one, or share one`;
    throw tooMany(message, maxListenersPerAccount);
  }

  private async run(): Promise<void> {
    const { bus } = this.context;
    const subscription = bus.subscribe('session.changed', () => this.notifier.notify());
    const heartbeat = setInterval(() => this.beat(), this.options.heartbeatMs);
    this.cursor = null;
    while (!this.stopping && this.listeners.size + this.arrivals.length > 0) {
      const more = await this.poll();
      if (more) continue;
      await delay(POLL_PAUSE_MS);
      if (this.arrivals.length === 0) await this.notifier.wait(this.options.pollMs);
    }
    clearInterval(heartbeat);
    subscription.close();
    this.running = null;
    if (!this.stopping) return;
    for (const { stream } of this.listeners) stream.finish();
    for (const { admitted } of this.arrivals.splice(0)) admitted.reject(stopped());
  }

  /**
   * Returns whether there is more to read immediately. Never throws: the clients being admitted receive the error.
   */
  private async poll(): Promise<boolean> {
    const arrivals = this.arrivals.splice(0, MAX_ARRIVALS);
    try {
      await this.checkKeys();
      const { store } = this.context;
      const page = await store.readEvents(this.cursor, PAGE);
      const missed = await Promise.all(
        arrivals.map(({ lastEventId }) =>
          lastEventId === null ? null : store.readEvents(lastEventId, PAGE),
        ),
      );
      const messages = await this.describe([page, ...missed], arrivals);
      for (const listener of this.listeners) sendPage(listener, page, messages, page.cursor);
      for (const [index, arrival] of arrivals.entries())
        this.admit(arrival, missed[index] ?? null, messages, page);
      this.cursor = page.cursor;
      if (this.isStoreUnavailable) this.context.log.info({}, 'store is available again; reading events');
      this.isStoreUnavailable = false;
      return page.more;
    } catch (error) {
      if (!this.isStoreUnavailable)
        this.context.log.warn({ err: error }, 'events could not be read; retrying');
      this.isStoreUnavailable = true;
      for (const { admitted } of arrivals) admitted.reject(error);
      return false;
    }
  }

  private describe(pages: (EventPage | null)[], arrivals: Arrival[]): Promise<Messages> {
    const accounts = new Set([...this.listeners].map(({ accountId }) => accountId));
    for (const { listener } of arrivals) accounts.add(listener.accountId);
    const hasListener = ({ accountId }: LoggedEvent) => accountId === null || accounts.has(accountId);
    const events = pages.flatMap((page) => page?.events ?? []);
    return readMessages(this.context, events.filter(hasListener), accounts);
  }

  /** Starts sending live events to the client. Some of them may repeat what it was just sent. */
  private admit(
    { listener, admitted }: Arrival,
    missed: EventPage | null,
    messages: Messages,
    { cursor }: EventPage,
  ): void {
    const { stream } = listener;
    stream.send(retryMessage(EVENT_RETRY_MS));
    if (missed) sendPage(listener, { ...missed, reset: missed.reset || missed.more }, messages, cursor);
    stream.send(idMessage(cursor));
    this.listeners.add(listener);
    stream.once('close', () => this.listeners.delete(listener));
    admitted.resolve();
  }

  /** Closes the streams of keys that were revoked or have expired. */
  private async checkKeys(): Promise<void> {
    if (performance.now() - this.keysCheckedAt < this.options.keyCheckMs) return;
    const keyIds = new Set([...this.listeners].map(({ keyId }) => keyId));
    const valid = keyIds.size === 0 ? keyIds : new Set(await this.context.store.validGrants([...keyIds]));
    for (const { keyId, stream } of this.listeners) if (!valid.has(keyId)) stream.finish();
    this.keysCheckedAt = performance.now();
  }

  private beat(): void {
    // The heartbeat includes the id, so that a client can resume even after days without events.
    const message = HEARTBEAT + (this.cursor === null ? '' : idMessage(this.cursor));
    for (const { stream } of this.listeners) {
      if (stream.stuckMs > this.options.stuckMs) stream.destroy();
      else stream.send(message);
    }
  }
}

/**
 * Sends a page of events to a client. Only the last event has the id, `cursor`: a client that is disconnected in
 * between resumes before the first event.
 */
function sendPage(listener: Client, page: EventPage, messages: Messages, cursor: string): void {
  const texts = new Set(page.reset ? [eventMessage('reset', {})] : []);
  for (const event of page.reset ? [] : page.events) {
    const message = messages.get(event, listener);
    if (message) texts.add(message);
  }
  const all = [...texts];
  const last = all.pop();
  if (last) listener.stream.send(`${all.join('')}${withId(cursor, last)}`);
}

const tooMany = (message: string, limit: number) =>
  new ApiError('rateLimited', message, { limit }, { 'retry-after': '10' });

const stopped = () =>
  new ApiError('unavailable', 'this server is shutting down; try again', {}, { 'retry-after': '1' });
