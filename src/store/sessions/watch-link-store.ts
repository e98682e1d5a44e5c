/**
 * Links for watching the stream of a session, or its recording. Each is a separate grant that can be revoked without ending the
 * session.
 */
import type { Page } from '../../contract/http/page.ts';
import type { UserName } from '../../contract/http/user-name.ts';
import type { WatchLinkSubject } from '../../contract/http/watch-link.ts';
import type { QuotaShortfall } from '../../domain/refusals.ts';
import type { AuditEvent } from '../audit/audit-store.ts';
import type { Idempotency, Paging, SessionRow, Timestamp } from '../entities.ts';

export interface WatchLinkRow {
  id: string;
  sessionId: string;
  createdBy: { id: string; name: string };
  /** The user who owns that key; null: the key belongs to the account only. */
  user: UserName | null;
  shows: WatchLinkSubject;
  createdAt: Timestamp;
  /** null: a link to the screen, which works until the session ends. */
  expiresAt: Timestamp | null;
  revokedAt: Timestamp | null;
}

export interface CreateWatchLinkCommand {
  sessionId: string;
  accountId: string;
  keyId: string;
  /** What the link shows: the screen of a live session, or its recording for this time. */
  subject: { shows: 'screen' } | { shows: 'recording'; validForMs: number };
  /** Maximum number of links per session, including revoked ones. */
  maxLinks: number;
  idempotency: Idempotency | null;
}

/** null: the account has no such session. */
export type CreateWatchLinkOutcome =
  | { ok: true; link: WatchLinkRow; session: SessionRow }
  | {
      ok: false;
      refusal:
        | { why: 'key-invalid' }
        | { why: 'ended' }
        | { why: 'not-recorded' }
        | { why: 'idempotency-conflict' }
        | { why: 'quota'; shortfall: QuotaShortfall };
    }
  | null;

export interface WatchLinkStore {
  createWatchLink(command: CreateWatchLinkCommand, audit?: AuditEvent): Promise<CreateWatchLinkOutcome>;
  /** Newest first, including revoked links. null: the account has no such session. */
  listWatchLinks(
    query: { sessionId: string; accountId: string } & Paging,
  ): Promise<Page<WatchLinkRow> | null>;
  /** Also a link that is revoked or expired. null: the session has no such link. */
  getWatchLink(query: { linkId: string; sessionId: string }): Promise<WatchLinkRow | null>;
  /** Idempotent. null: the account has no such session, or the session has no such link. */
  revokeWatchLink(
    command: { linkId: string; sessionId: string; accountId: string },
    audit?: AuditEvent,
  ): Promise<WatchLinkRow | null>;
}
