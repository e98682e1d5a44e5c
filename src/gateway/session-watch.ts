import { setTimeout as delay } from 'node:timers/promises';
import type { Bus, Subscription } from '../bus/bus.ts';
import type { EndReason } from '../contract/http/session.ts';
import type { SessionRow } from '../store/entities.ts';
import type { Store } from '../store/store.ts';
import { withDeadline } from '../util/deadline.ts';
import type { Log } from '../util/log.ts';
import { SharedTimer } from '../util/shared-timer.ts';

export interface SessionListener {
  /** Called when the session became connected or its expiry changed. */
  onSessionChange(session: SessionRow): void;
  /** Called once when the session ends. No callback follows it. */
  onSessionEnd(reason: EndReason, detail: string | null): void;
  /**
   * Called when the session's last known expiry has passed and the store is unavailable, so it is unknown whether the
   * session was extended. No callback follows it.
   */
  onSessionUnknown(): void;
}

/**
 * How long after its expiry a session is still looked up. The last query may take another two seconds, and a socket
 * must be closed within five.
 */
const GRACE_MS = 2_500;
const REREAD_MS = 250;
/**
 * How far the expiry by the store's clock may differ before it is set again. The rows of all sessions are read every two
 * seconds, and keeping their timers saves most of the CPU time and memory of idle sessions.
 */
const MAX_DRIFT_MS = 100;

interface Watched {
  session: SessionRow;
  listener: SessionListener;
  /** When the session expires, on this process's monotonic clock in milliseconds. */
  endsAt: number;
}

export interface SessionWatchOptions {
  store: Pick<Store, 'getSessions'>;
  bus: Pick<Bus, 'subscribe'>;
  log: Log;
  /** How often the rows are read, independently of bus messages. */
  pollMs?: number;
  storeTimeoutMs?: number;
}

/**
 * Tracks the state of the sessions that a gateway serves. Bus messages trigger reads but may be lost, so the rows of
 * all sessions are also read every `pollMs`, in one query. A session that expires is looked up until the store has
 * ended or extended it. If the store is unavailable, the session's sockets are still closed at the latest 5 s after its
 * expiry, but the close reason does not claim that it expired.
 */
export class SessionWatch {
  private readonly options: Required<SessionWatchOptions>;
  private readonly watched = new Map<string, Watched>();
  private readonly expiries = new SharedTimer<Watched>((watched) => void this.expire(watched));
  private readonly subscription: Subscription;
  private readonly poll: NodeJS.Timeout;
  private reading = false;
  private readAgain = false;
  private storeUnavailable = false;
  private closed = false;

  constructor(options: SessionWatchOptions) {
    this.options = { pollMs: 2000, storeTimeoutMs: 2000, ...options };
    this.subscription = options.bus.subscribe('session.changed', ({ sessionId }) => {
      if (this.watched.has(sessionId)) void this.read();
    });
    this.poll = setInterval(() => void this.read(), this.options.pollMs);
  }

  /** Watches a session until it ends or `unwatch` is called. One listener per session. */
  watch(session: SessionRow, listener: SessionListener): void {
    const watched: Watched = { session, listener, endsAt: performance.now() + session.remainingMs };
    this.watched.set(session.id, watched);
    this.expiries.set(watched, session.remainingMs);
  }

  /** A no-op if the session is not watched with this listener. */
  unwatch(sessionId: string, listener: SessionListener): void {
    const watched = this.watched.get(sessionId);
    if (watched?.listener === listener) this.remove(watched);
  }

  /** Applies a row that was read elsewhere. */
  update(session: SessionRow): void {
    const watched = this.watched.get(session.id);
    if (!watched) return;
    if (session.status === 'disconnected') {
      this.end(watched, session.endReason ?? 'admin', session.endDetail);
      return;
    }
    if (session.remainingMs <= 0) {
      if (performance.now() < watched.endsAt) this.rearm(watched, session);
      return;
    }
    const before = watched.session;
    // A read that started before an extension may finish after it. An expiry is only ever moved later, so an earlier
    // one is outdated.
    if (session.expiresAt < before.expiresAt) return;
    const isChanged = before.status !== session.status || before.expiresAt !== session.expiresAt;
    const drift = Math.abs(performance.now() + session.remainingMs - watched.endsAt);
    if (!isChanged && drift < MAX_DRIFT_MS) return;
    this.rearm(watched, session);
    if (isChanged) watched.listener.onSessionChange(session);
  }

  close(): void {
    this.closed = true;
    this.subscription.close();
    clearInterval(this.poll);
    this.expiries.clear();
    this.watched.clear();
  }

  private rearm(watched: Watched, session: SessionRow): void {
    watched.session = session;
    watched.endsAt = performance.now() + session.remainingMs;
    this.expiries.set(watched, session.remainingMs);
  }

  /**
   * The message that extended the session may have been lost, or the transaction that extends it may be about to
   * commit. Its row is therefore read until the store has ended or extended the session, or the grace period is over.
   */
  private async expire(watched: Watched): Promise<void> {
    const { endsAt } = watched;
    const sessionId = watched.session.id;
    for (;;) {
      const isRead = await this.readRows([sessionId]);
      if (this.closed || this.watched.get(sessionId) !== watched || watched.endsAt !== endsAt) return;
      if (performance.now() >= endsAt + GRACE_MS) {
        if (isRead) return this.end(watched, 'expired', null);
        this.remove(watched);
        return watched.listener.onSessionUnknown();
      }
      await delay(REREAD_MS);
    }
  }

  /** Reads the session's row now. */
  async refresh(sessionId: string): Promise<void> {
    await this.readRows([sessionId]);
  }

  /** Runs one query at a time. Requests made during a query are served by one that follows it. */
  private async read(): Promise<void> {
    this.readAgain = true;
    if (this.reading) return;
    this.reading = true;
    while (this.readAgain && !this.closed) {
      this.readAgain = false;
      await this.readRows([...this.watched.keys()]);
    }
    this.reading = false;
  }

  /** Resolves with false if the store did not answer. */
  private async readRows(ids: string[]): Promise<boolean> {
    if (ids.length === 0) return true;
    const { store, storeTimeoutMs, log } = this.options;
    try {
      const query = store.getSessions(ids);
      const rows = await withDeadline(query, storeTimeoutMs, 'the database did not answer');
      if (this.closed) return true;
      if (this.storeUnavailable) log.info({}, 'store is available again');
      this.storeUnavailable = false;
      for (const row of rows) this.update(row);
      if (rows.length < ids.length) this.endMissing(ids, rows);
      return true;
    } catch (error) {
      if (!this.storeUnavailable) log.warn({ err: error }, 'sessions could not be looked up; retrying');
      this.storeUnavailable = true;
      return false;
    }
  }

  private endMissing(ids: string[], rows: SessionRow[]): void {
    const found = new Set(rows.map((row) => row.id));
    for (const id of ids) {
      const watched = found.has(id) ? undefined : this.watched.get(id);
      if (watched) this.end(watched, 'admin', 'the session no longer exists');
    }
  }

  private end(watched: Watched, reason: EndReason, detail: string | null): void {
    this.remove(watched);
    watched.listener.onSessionEnd(reason, detail);
  }

  private remove(watched: Watched): void {
    this.expiries.delete(watched);
    if (this.watched.get(watched.session.id) === watched) this.watched.delete(watched.session.id);
  }
}
