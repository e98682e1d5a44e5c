/** Store operations on device groups, and the accounts to which their devices are visible. */
import type { Page } from '../../contract/http/page.ts';
import type { AuditEvent } from '../audit/audit-store.ts';
import type { CreateOutcome, Idempotency, Paging, Timestamp } from '../entities.ts';

export interface GroupRow {
  id: string;
  name: string;
  /** The accounts that can see its devices, sorted by name. */
  accounts: { id: string; name: string }[];
  /** Number of devices in the group, in any condition, without deleted ones. */
  devices: number;
  createdAt: Timestamp;
}

export interface GroupChange {
  groupId: string;
  name?: string | undefined;
  /** The complete new list of accounts that can see its devices. */
  accountIds?: string[] | undefined;
}

/** Why a group cannot be created or changed. */
export type GroupRefusal = { why: 'name-taken' } | { why: 'unknown-account'; accountId: string };

type Made = CreateOutcome<GroupRow>;

export interface GroupStore {
  /** Sorted by name. */
  listGroups(query: Paging): Promise<Page<GroupRow>>;
  /** `by`: the account whose idempotency key is used. null: an operator command, which has no idempotency key. */
  createGroup(
    command: {
      group: { name: string; accountIds: string[] };
      by: string | null;
      idempotency: Idempotency | null;
    },
    audit?: AuditEvent,
  ): Promise<
    Extract<Made, { ok: true }> | { ok: false; refusal: GroupRefusal | { why: 'idempotency-conflict' } }
  >;
  /** null: the group does not exist. */
  updateGroup(
    change: GroupChange,
    audit?: AuditEvent,
  ): Promise<{ ok: true; group: GroupRow } | { ok: false; refusal: GroupRefusal } | null>;
  /**
   * Deletes a group that has no devices. Deleted devices that were in it go into maintenance, so that they do not
   * become visible to every account when a host reports them again. null: the group does not exist.
   */
  deleteGroup(
    groupId: string,
    audit?: AuditEvent,
  ): Promise<{ deleted: true } | { deleted: false; devices: number } | null>;
}
