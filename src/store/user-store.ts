/** People who sign in at an identity provider, and the keys that they have of it. */
import type { Page } from '../contract/page.ts';
import type { AuditEvent, Paging } from './admin-store.ts';
import type { KeyRow, NewAccount, Role, SessionRow, Timestamp } from './entities.ts';

export interface UserRow {
  id: string;
  /** Who says who it is, and by which name it knows them: no two users have the same. */
  issuer: string;
  subject: string;
  accountId: string;
  accountName: string;
  name: string;
  email: string | null;
  role: Role;
  createdAt: Timestamp;
  /** null: they were let in, and have not fetched a key. */
  lastSignInAt: Timestamp | null;
  disabledAt: Timestamp | null;
}

export interface AdmitCommand {
  /** What the identity provider says, which was checked. */
  identity: Pick<UserRow, 'issuer' | 'subject' | 'name' | 'email'>;
  /** What they may do, by what they are there; the account is made when it is new. null: nothing. */
  access: { account: NewAccount; role: Role } | null;
  /** SHA-256 (hex) of what gets them a key, once, and for how long. */
  ticket: { hash: string; validForMs: number };
}

/** `ended`: the live sessions of keys that they have no right to any more, whether they are let in or not. */
export type AdmitOutcome = { ended: SessionRow[] } & (
  | { ok: true; user: UserRow }
  | { ok: false; why: 'no-access' | 'user-disabled' | 'account-disabled'; user: UserRow | null }
);

/** A key for whoever has the ticket. */
export interface ClaimCommand {
  ticketHash: string;
  key: { name: string; hash: string; prefix: string; validForMs: number };
  /** So many keys by signing in a user has at a time: where one more comes, the oldest expires. */
  maxKeys: number;
}

export interface UserStore {
  /** By name, disabled ones too. */
  pageUsers(query: { accountId?: string | undefined } & Paging): Promise<Page<UserRow>>;
  getUser(userId: string): Promise<UserRow | null>;
  /** Disabling revokes the user's keys, and ends the sessions that these created, with reason `admin`. null: no such user. */
  changeUser(
    change: { userId: string; disabled: boolean },
    audit?: AuditEvent,
  ): Promise<{ user: UserRow; ended: SessionRow[] } | null>;
  /**
   * Takes what the provider says of somebody: makes the user or brings them up to date, revokes those of their keys that
   * are another account's or may do more than they may now, and remembers a ticket, in place of one before it.
   */
  admitUser(command: AdmitCommand): Promise<AdmitOutcome>;
  /**
   * null: the ticket is unknown, was used or has expired, or its user was disabled since. The store sets the account and the
   * key of the audit event.
   */
  claimKey(command: ClaimCommand, audit?: AuditEvent): Promise<KeyRow | null>;
  /** Has a key that came of signing in expire now; the sessions that it created go on. False: it is no such key. */
  endSignIn(keyId: string, audit?: AuditEvent): Promise<boolean>;
}
