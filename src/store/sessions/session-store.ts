import type { Page } from '../../contract/http/page.ts';
import type { EndReason, SessionStatus } from '../../contract/http/session.ts';
import type { UserName } from '../../contract/http/user-name.ts';
import type { ConnectRefusal, ExtendRefusal } from '../../domain/refusals.ts';
import type { HourOfUse } from '../../domain/utilisation.ts';
import type { AuditEvent } from '../audit/audit-store.ts';
import type { ConnectCommand, Paging, SessionRow, Timestamp } from '../entities.ts';

export type ConnectOutcome =
  | { ok: true; session: SessionRow; replayed: boolean }
  | { ok: false; refusal: ConnectRefusal };

export interface EndCommand {
  sessionId: string;
  /** When given, a session of another account is not found. */
  accountId?: string;
  /** When given, a session of another epoch is not found. */
  epoch?: number;
  /** When given, a session on a phone of another host is not found. */
  hostId?: string;
  reason: EndReason;
  detail?: string;
}

/**
 * `ended` is false when the session had already ended; the row then describes that first end, unchanged. `ended` is
 * also false when the requested reason is `expired` but the expiry is still in the future; the row is then still
 * live.
 */
export type EndOutcome = { session: SessionRow; ended: boolean } | null;

export interface ExtendCommand {
  sessionId: string;
  accountId?: string;
  minutes: number;
  /** Maximum total reservation of one session, minutes. */
  maxMinutes: number;
}

/** null: the session does not exist. */
export type ExtendOutcome = { ok: true; session: SessionRow } | { ok: false; refusal: ExtendRefusal } | null;

export interface ListSessionsQuery extends Paging {
  accountId: string;
  /** live: sessions that have not ended. */
  status?: SessionStatus | 'live';
  deviceId?: string;
}

export interface ReapOptions {
  limit: number;
  /** Called in each attempt of the transaction, with its time. */
  hostSilenceMs: (now: Timestamp) => number | null;
}

export interface ReapOutcome {
  ended: SessionRow[];
  /** Hosts that were marked as lost because they stopped reporting. */
  lostHosts: string[];
}

export interface FleetSessionRow extends SessionRow {
  accountName: string;
  /** The user who owns the key that created the session, if any. */
  user: UserName | null;
  deviceName: string;
}

export interface FleetSessionQuery extends Paging {
  status?: SessionStatus | undefined;
  deviceId?: string | undefined;
  accountId?: string | undefined;
}

/** Sessions, and how much of the fleet they use. */
export interface SessionStore {
  connect(command: ConnectCommand, audit?: AuditEvent): Promise<ConnectOutcome>;
  end(command: EndCommand, audit?: AuditEvent): Promise<EndOutcome>;
  /** Adds minutes to a live session and reserves them against the quota. */
  extend(command: ExtendCommand, audit?: AuditEvent): Promise<ExtendOutcome>;
  getSession(sessionId: string, accountId?: string): Promise<SessionRow | null>;
  /**
   * Returns those of the sessions that exist, in no particular order. One query serves gateways that hold many
   * sessions.
   */
  getSessions(sessionIds: string[]): Promise<SessionRow[]>;
  /** Newest first. */
  listSessions(query: ListSessionsQuery): Promise<Page<SessionRow>>;
  /** Sessions of all accounts, newest first. Counting the total stops at `MAX_COUNTED`. */
  listFleetSessions(query: FleetSessionQuery): Promise<Page<FleetSessionRow>>;
  /**
   * Ends what is overdue: expired sessions, sessions that did not connect in time and, unless `hostSilenceMs` returns
   * null, the sessions of hosts that have not reported for that long, whose devices go offline. Handles at most `limit`
   * of each.
   */
  reap(options: ReapOptions): Promise<ReapOutcome>;
  /**
   * Records how many devices are offered, at most once a minute across all callers. Deletes samples that are older
   * than any query reads.
   */
  sampleFleet(): Promise<void>;
  /** Usage of the last `hours` hours, including the current one, in chronological order. */
  getUtilisation(hours: number): Promise<HourOfUse[]>;
}
