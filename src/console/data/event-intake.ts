import type { QueryClient } from '@tanstack/react-query';
import type { ServiceEvent } from '../../contract/events/event.ts';
import type { Device } from '../../contract/http/device.ts';
import type { Session, SessionEvent } from '../../contract/http/session.ts';
import { isListChanged, withDevices, withLiveSession, withSessionEvent } from './apply-updates.ts';

/**
 * Events that arrive within this time are applied together, because a starting fleet causes hundreds of events at
 * once.
 */
const GATHER_MS = 100;
/** Minimum interval between refetches of lists that events have changed. */
const REREAD_MS = { devices: 3_000, sessions: 1_000, usage: 1_000 } as const;
type Subject = keyof typeof REREAD_MS;
const SUBJECTS = Object.keys(REREAD_MS) as Subject[];

/** Applies events to the cached query results, and refetches what an event does not contain. */
export class EventIntake {
  readonly #cache: QueryClient;
  #devices = new Map<string, Device | null>();
  #gathering: ReturnType<typeof setTimeout> | undefined;
  readonly #rereads = new Map<Subject, ReturnType<typeof setTimeout>>();
  readonly #rereadAt = new Map<Subject, number>();

  constructor(cache: QueryClient) {
    this.#cache = cache;
  }

  take(event: ServiceEvent): void {
    switch (event.event) {
      case 'reset':
        this.readAllAgain();
        break;
      case 'session.changed':
        this.#takeSession(event.data);
        break;
      case 'device.changed':
        this.#gather(event.data.id, event.data);
        break;
      case 'device.removed':
        this.#gather(event.data.id, null);
        break;
    }
  }

  readAllAgain(): void {
    for (const subject of SUBJECTS) void this.#read(subject);
  }

  close(): void {
    clearTimeout(this.#gathering);
    for (const timer of this.#rereads.values()) clearTimeout(timer);
  }

  #gather(id: string, device: Device | null): void {
    this.#devices.set(id, device);
    this.#gathering ??= setTimeout(() => this.#takeDevices(), GATHER_MS);
  }

  #takeDevices(): void {
    const updates = this.#devices;
    this.#devices = new Map();
    this.#gathering = undefined;
    const queries = this.#cache.getQueryCache().findAll({ queryKey: ['devices'] });
    const isAnother = queries.some(
      ({ state, queryKey }) =>
        // The response to a pending request may be older than these events.
        state.fetchStatus === 'fetching' || isListChanged(state.data, updates, filtersByStatus(queryKey)),
    );
    this.#cache.setQueriesData({ queryKey: ['devices'] }, (data: unknown) => withDevices(data, updates));
    if (isAnother) this.#readAgain('devices');
  }

  #takeSession(event: SessionEvent): void {
    const one = ['sessions', 'one', event.session_id];
    // The response to a pending request may be older here too, so the request is cancelled, which keeps the previous
    // data.
    void this.#cache
      .cancelQueries({ queryKey: one })
      .then(() => this.#cache.setQueryData<Session>(one, (before) => withSessionEvent(before, event)));
    this.#cache.setQueryData<Session[]>(
      ['sessions', 'live'],
      (sessions) => sessions && withLiveSession(sessions, event),
    );
    this.#readAgain('sessions');
    this.#readAgain('usage');
  }

  /**
   * Refetches the queries of a subject. Invalidating does not restart a query's first fetch, whose response may be
   * older than the event, so such a query is fetched once more afterwards.
   */
  async #read(subject: Subject): Promise<void> {
    const queryKey = [subject];
    const first = this.#cache.getQueryCache().findAll({
      queryKey,
      fetchStatus: 'fetching',
      predicate: ({ state }) => state.data === undefined,
    });
    await this.#cache.invalidateQueries({ queryKey });
    if (first.length === 0) return;
    await this.#cache.invalidateQueries({ queryKey, predicate: (query) => first.includes(query) });
  }

  /** Refetches immediately, or after the minimum interval since the last refetch. */
  #readAgain(subject: Subject): void {
    if (this.#rereads.has(subject)) return;
    const last = this.#rereadAt.get(subject) ?? Number.NEGATIVE_INFINITY;
    const wait = Math.max(0, last + REREAD_MS[subject] - performance.now());
    const read = () => {
      this.#rereads.delete(subject);
      this.#rereadAt.set(subject, performance.now());
      void this.#read(subject);
    };
    this.#rereads.set(subject, setTimeout(read, wait));
  }
}

/** The query key of a list contains its filters as an object. */
const filtersByStatus = (queryKey: readonly unknown[]): boolean =>
  queryKey.some(
    (part) => typeof part === 'object' && part !== null && 'status' in part && part.status !== '',
  );
