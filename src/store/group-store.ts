/** What operators ask of the store about groups of phones, and the accounts that see them. */
import type { Page } from '../contract/page.ts';
import type { AuditEvent, MakeOutcome, Paging } from './admin-store.ts';
import type { Idempotency, Timestamp } from './entities.ts';

export interface GroupRow {
  id: string;
  name: string;
  /** Those that see its phones, by name. */
  accounts: { id: string; name: string }[];
  /** How many phones are in it, whatever their condition; forgotten ones are not counted. */
  devices: number;
  createdAt: Timestamp;
}

export interface GroupChange {
  groupId: string;
  name?: string | undefined;
  /** All that are to see its phones, instead of those that did. */
  accountIds?: string[] | undefined;
}

/** Why a group is not made, or not changed. */
export type GroupRefusal = { why: 'name-taken' } | { why: 'unknown-account'; accountId: string };

type Made = MakeOutcome<GroupRow>;

export interface GroupStore {
  /** By name. */
  pageGroups(query: Paging): Promise<Page<GroupRow>>;
  /** `by`: whose idempotency key it is. */
  makeGroup(
    command: {
      group: { name: string; accountIds: string[] };
      by: string;
      idempotency: Idempotency | null;
    },
    audit?: AuditEvent,
  ): Promise<
    Extract<Made, { ok: true }> | { ok: false; refusal: GroupRefusal | { why: 'idempotency-conflict' } }
  >;
  /** null: no such group. */
  changeGroup(
    change: GroupChange,
    audit?: AuditEvent,
  ): Promise<{ ok: true; group: GroupRow } | { ok: false; refusal: GroupRefusal } | null>;
  /**
   * Removes a group without phones. Forgotten ones that were in it are in maintenance if they come back, so that nobody
   * sees them by that. null: no such group.
   */
  deleteGroup(
    groupId: string,
    audit?: AuditEvent,
  ): Promise<{ deleted: true } | { deleted: false; devices: number } | null>;
}
