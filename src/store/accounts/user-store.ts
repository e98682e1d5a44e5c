/** Users who sign in at an identity provider, and the keys that they get by signing in. */

import type { Role } from '../../contract/http/key.ts';
import type { Page } from '../../contract/http/page.ts';
import type { AuditEvent } from '../audit/audit-store.ts';
import type { KeyRow, NewAccount, Paging, SessionRow, Timestamp } from '../entities.ts';

export interface UserRow {
  id: string;
  /** The identity provider and its identifier of the user. The pair is unique. */
  issuer: string;
  subject: string;
  accountId: string;
  accountName: string;
  name: string;
  email: string | null;
  role: Role;
  createdAt: Timestamp;
  /** null: the user was admitted but has not yet claimed a key. */
  lastSignInAt: Timestamp | null;
  disabledAt: Timestamp | null;
}

export interface AdmitCommand {
  /** The verified identity from the identity provider. */
  identity: Pick<UserRow, 'issuer' | 'subject' | 'name' | 'email'>;
  /**
   * The account and role that the identity provider's data grants; an account that does not exist is created. null:
   * no access.
   */
  access: { account: NewAccount; role: Role } | null;
  /** SHA-256 (hex) of a single-use ticket that is exchanged for a key, and how long it is valid. */
  ticket: { hash: string; validForMs: number };
}

/**
 * `ended`: the live sessions of keys that the user is no longer entitled to, whether or not the user is admitted.
 */
export type AdmitOutcome = { ended: SessionRow[] } & (
  | { ok: true; user: UserRow }
  | { ok: false; why: 'no-access' | 'user-disabled' | 'account-disabled'; user: UserRow | null }
);

/** Exchanges a ticket for a key. */
export interface ClaimCommand {
  ticketHash: string;
  key: { name: string; hash: string; prefix: string; validForMs: number };
  /** Maximum number of valid sign-in keys per user. One more makes the oldest expire. */
  maxKeys: number;
}

/** Opens a browser session with a key. */
export interface BrowserSessionCommand {
  keyId: string;
  /** The secret of the browser session, which does not outlive the key and has its name. */
  session: Omit<ClaimCommand['key'], 'name'>;
  /** Maximum number of valid browser sessions per key. One more makes the oldest expire. */
  maxSessions: number;
}

export interface UserStore {
  /** Sorted by name, including disabled users. */
  listUsers(query: { accountId?: string | undefined } & Paging): Promise<Page<UserRow>>;
  getUser(userId: string): Promise<UserRow | null>;
  /**
   * Disabling a user revokes the user's keys, and ends the sessions that they created, with reason `admin`. null: the
   * user does not exist.
   */
  updateUser(
    change: { userId: string; disabled: boolean },
    audit?: AuditEvent,
  ): Promise<{ user: UserRow; ended: SessionRow[] } | null>;
  /**
   * Applies what the identity provider says about a user: creates or updates the user, revokes keys that belong to
   * another account or exceed the user's current role, and stores a ticket, which replaces an earlier one.
   */
  admitUser(command: AdmitCommand): Promise<AdmitOutcome>;
  /**
   * null: the ticket is unknown, used or expired, or its user has been disabled. The store sets the account and the
   * key of the audit event.
   */
  claimKey(command: ClaimCommand, audit?: AuditEvent): Promise<KeyRow | null>;
  /**
   * Creates the key of a browser session, with the account, role and user of an existing key. null: that key has been
   * revoked, has expired, or is itself that of a browser session.
   */
  openBrowserSession(command: BrowserSessionCommand, audit?: AuditEvent): Promise<KeyRow | null>;
  /**
   * Makes a sign-in key expire now; the sessions that it created continue. Returns false when it is not a sign-in
   * key.
   */
  endSignIn(keyId: string, audit?: AuditEvent): Promise<boolean>;
}
