import type { Page } from '../../contract/http/page.ts';
import { WATCH_LINK_PREFIX } from '../../contract/http/watch-link.ts';
import { countShortfall } from '../../domain/quota.ts';
import type { AuditEvent } from '../audit/audit-store.ts';
import { audited } from '../audit/audited.ts';
import { all, type Engine, first, type Sql, sql, type Transaction } from '../engine/engine.ts';
import { findReplay, recordIdempotencyKey } from '../engine/idempotency.ts';
import { pageOf, pageWith } from '../engine/paging.ts';
import type { Tables } from '../engine/tables.ts';
import type { SessionRow } from '../entities.ts';
import { newId } from '../new-id.ts';
import { sessionRow, type UserColumns, userName } from '../rows.ts';
import type {
  CreateWatchLinkCommand,
  CreateWatchLinkOutcome,
  WatchLinkRow,
  WatchLinkStore,
} from './watch-link-store.ts';

type LinkWithCreator = Tables['watch_links'] & UserColumns & { key_name: string };

const SELECT_LINKS: Sql<LinkWithCreator> = sql`
  select l.*, k.name as key_name, k.user_id, u.name as user_name
  from watch_links l join keys k on k.id = l.created_by left join users u on u.id = k.user_id`;

export async function createWatchLink(
  engine: Engine,
  command: CreateWatchLinkCommand,
  audit?: AuditEvent,
): Promise<CreateWatchLinkOutcome> {
  const { sessionId, accountId, keyId, maxLinks, subject, idempotency } = command;
  const { forReference, forUpdate } = engine.dialect;
  return audited(engine, audit, function* (now, record): Transaction<CreateWatchLinkOutcome> {
    const before = yield* findReplay(accountId, idempotency);
    if (before === 'conflict') return { ok: false, refusal: { why: 'idempotency-conflict' } };
    // The key is locked before the session, in the same order as a revocation locks them
    const key = yield* first(
      sql`select id from keys where id = ${keyId} and revoked_at is null ${forReference}`,
    );
    if (!key) return { ok: false, refusal: { why: 'key-invalid' } };
    // Locks the session, because concurrent requests could otherwise exceed the limit.
    const row = yield* first(
      sql<Tables['sessions']>`
        select * from sessions where id = ${sessionId} and account_id = ${accountId} ${forUpdate}`,
    );
    if (!row) return null;
    const session = sessionRow(row, now);
    if (before) return { ok: true, link: (yield* readLink(before, sessionId))!, session };
    const refusal = refusalOf(subject, session);
    if (refusal) return { ok: false, refusal };
    const shortfall = countShortfall('watch_links', yield* countLinks(sessionId), maxLinks);
    if (shortfall) return { ok: false, refusal: { why: 'quota', shortfall } };
    const id = newId(WATCH_LINK_PREFIX);
    yield* all(
      sql`insert into watch_links (id, session_id, created_by, created_at, shows, expires_at)
        values (${id}, ${sessionId}, ${keyId}, ${now}, ${subject.shows},
          ${subject.shows === 'recording' ? now + subject.validForMs : null})`,
    );
    yield* recordIdempotencyKey(accountId, idempotency, id, now);
    yield* record({ kind: 'watch_link', id });
    return { ok: true, link: (yield* readLink(id, sessionId))!, session };
  });
}

export async function listWatchLinks(
  engine: Engine,
  query: Parameters<WatchLinkStore['listWatchLinks']>[0],
): Promise<Page<WatchLinkRow> | null> {
  const { sessionId, accountId } = query;
  return engine.transact(function* (): Transaction<Page<WatchLinkRow> | null> {
    const session = yield* first(
      sql`select id from sessions where id = ${sessionId} and account_id = ${accountId}`,
    );
    if (!session) return null;
    const rows = yield* all(
      sql<LinkWithCreator>`${SELECT_LINKS} where l.session_id = ${sessionId}
        order by l.created_at desc, l.id desc ${pageOf(query)}`,
    );
    return pageWith(query, yield* countLinks(sessionId), rows.map(linkRow));
  });
}

export async function getWatchLink(
  engine: Engine,
  { linkId, sessionId }: { linkId: string; sessionId: string },
): Promise<WatchLinkRow | null> {
  return engine.transact(function* (): Transaction<WatchLinkRow | null> {
    return (yield* readLink(linkId, sessionId)) ?? null;
  });
}

export async function revokeWatchLink(
  engine: Engine,
  { linkId, sessionId, accountId }: { linkId: string; sessionId: string; accountId: string },
  audit?: AuditEvent,
): Promise<WatchLinkRow | null> {
  return audited(engine, audit, function* (now, record): Transaction<WatchLinkRow | null> {
    const link = yield* first(
      sql`update watch_links set revoked_at = coalesce(revoked_at, ${now})
        where id = ${linkId} and session_id in (
          select id from sessions where id = ${sessionId} and account_id = ${accountId})
        returning id`,
    );
    if (!link) return null;
    yield* record();
    return (yield* readLink(linkId, sessionId))!;
  });
}

function refusalOf(
  { shows }: CreateWatchLinkCommand['subject'],
  { status, recording }: SessionRow,
): { why: 'ended' } | { why: 'not-recorded' } | null {
  if (shows === 'recording') return recording ? null : { why: 'not-recorded' };
  return status === 'disconnected' ? { why: 'ended' } : null;
}

function* countLinks(sessionId: string): Transaction<number> {
  const row = yield* first(
    sql<{ total: number }>`select count(*) as total from watch_links where session_id = ${sessionId}`,
  );
  return row!.total;
}

function* readLink(linkId: string, sessionId: string): Transaction<WatchLinkRow | undefined> {
  const row = yield* first(
    sql<LinkWithCreator>`${SELECT_LINKS} where l.id = ${linkId} and l.session_id = ${sessionId}`,
  );
  return row && linkRow(row);
}

const linkRow = (row: LinkWithCreator): WatchLinkRow => ({
  id: row.id,
  sessionId: row.session_id,
  createdBy: { id: row.created_by, name: row.key_name },
  user: userName(row),
  shows: row.shows,
  createdAt: row.created_at,
  expiresAt: row.expires_at,
  revokedAt: row.revoked_at,
});
