import type { AuditKind } from '../../contract/http/audit.ts';
import type { Page } from '../../contract/http/page.ts';
import type { UserName } from '../../contract/http/user-name.ts';
import type { Paging, Timestamp } from '../entities.ts';

export interface AuditTarget {
  kind: AuditKind;
  id: string;
}

/**
 * An operation that is about to change something. Every store method that takes an audit event writes its entry in
 * the transaction that makes the change, so that both are committed or neither is. An operation that is refused, or
 * that finds nothing to change, gets no entry this way.
 */
export interface AuditEvent {
  /**
   * The account of the key that made the request. null: it is unknown, or the change comes from the command line.
   */
  accountId: string | null;
  keyId: string | null;
  action: string;
  address: string | null;
  /**
   * What the request names. The store appends the objects that the change creates or affects; an entry keeps the
   * first two.
   */
  targets: AuditTarget[];
  /** Set by the store when the entry has been committed. */
  isRecorded?: boolean;
}

/** An audit entry that is not part of a change. */
export interface NewAuditEntry extends Omit<AuditEvent, 'isRecorded'> {
  /** 0, or the error code of the response. */
  code: number;
  /** Number of equal requests that the entry stands for. */
  count: number;
  /** How long ago the first of them was made, ms. */
  agoMs: number;
}

export interface AuditRow extends Pick<NewAuditEntry, 'action' | 'address' | 'code' | 'targets' | 'count'> {
  id: string;
  at: Timestamp;
  account: { id: string; name: string } | null;
  key: { id: string; prefix: string } | null;
  user: UserName | null;
}

export interface AuditFilter {
  accountId?: string | undefined;
  action?: string | undefined;
  /** Identifier of an object that the operation affected or created. */
  target?: string | undefined;
  since?: Timestamp | undefined;
  until?: Timestamp | undefined;
}

/** Primary key of an audit entry. */
export interface AuditEntryId {
  at: Timestamp;
  id: string;
}

/**
 * Audit entries are append-only and expire. Only the count of an entry that is not part of a change is ever updated.
 */
export interface AuditStore {
  /**
   * Adds entries that are not part of a change; the entry of a change is written with the change. Returns their
   * identifiers, in order.
   */
  addAudit(entries: NewAuditEntry[]): Promise<AuditEntryId[]>;
  /** Sets the request counts of these entries. */
  countAudit(counts: (AuditEntryId & { count: number })[]): Promise<void>;
  /** Newest first. Counting the total stops at `MAX_COUNTED`. */
  listAudit(query: AuditFilter & Paging): Promise<Page<AuditRow>>;
  /** The newest entries that are older than `before`, newest first. */
  listAuditBefore(query: {
    filter: AuditFilter;
    before: AuditRow | null;
    limit: number;
  }): Promise<AuditRow[]>;
  /** Returns the current names of objects by kind and id. Objects without a name and deleted ones are absent. */
  nameTargets(
    targets: readonly AuditTarget[],
  ): Promise<ReadonlyMap<AuditTarget['kind'], ReadonlyMap<string, string>>>;
  /** Deletes at most `limit` entries that are older than `olderThanMs`; returns how many it deleted. */
  sweepAudit(options: { olderThanMs: number; limit: number }): Promise<number>;
  /**
   * When there are more than `maxEntries` entries, deletes the oldest entries of the accounts that have the most, at
   * most `limit`; returns how many it deleted. Counts all entries, and must therefore be called rarely.
   */
  boundAudit(options: { maxEntries: number; limit: number }): Promise<number>;
}
