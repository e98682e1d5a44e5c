import { countShortfall } from '../../domain/quota.ts';
import { all, type Engine, first, sql, type Transaction } from '../engine/engine.ts';
import type { Timestamp } from '../entities.ts';
import { flagOf, recordFlag } from '../rows.ts';
import type { BorrowCommand, BorrowOutcome } from './phone-queue.ts';
import { liveWaiters } from './queue-match.ts';

/** The waiting requests as rows, and the processes that serve them. */

/**
 * Time after which a process that sent no heartbeat counts as stopped. A running process sends one every 1.5 seconds.
 */
const ALIVE_MS = 5_000;
/**
 * How long the queue places of a stopped process are kept. A process that pauses for less finds its waiters
 * unchanged.
 */
const FORGOTTEN_MS = 60_000;

/**
 * Finds the queue place of an identical request (same idempotency key and fingerprint) that waited in a process that
 * has since stopped. Returns null when there is none. If the original request still waits in a running process, it
 * keeps its place, and the repeat is answered with the same session.
 */
export function* resumablePlace(
  { dialect }: Engine,
  { accountId, idempotency }: BorrowCommand,
  now: Timestamp,
): Transaction<number | null> {
  if (idempotency === null) return null;
  const waiter = yield* first(
    sql<{ place: number }>`
      select w.place from waiters w join waiter_processes p on p.id = w.process_id
      where w.account_id = ${accountId} and w.idempotency_key = ${idempotency.key}
        and w.fingerprint = ${idempotency.fingerprint} and p.alive_until <= ${now}
      order by w.place limit 1 ${dialect.forUpdate}`,
  );
  return waiter?.place ?? null;
}

/** Adds a request to the queue, or moves it to a place that it resumes. */
export function* enqueue(
  request: Omit<BorrowCommand, 'wait'>,
  { processId, ...limits }: NonNullable<BorrowCommand['wait']>,
  place: number | null,
  now: Timestamp,
): Transaction<BorrowOutcome> {
  const { filter, record, idempotency } = request;
  const count = yield* first(
    sql<{ n: number; own: number }>`
      select count(*) as n, count(*) filter (where w.account_id = ${request.accountId}) as own
      from ${liveWaiters(now)}`,
  );
  const shortfall = countShortfall('waiting', count!.own, limits.maxWaitingPerAccount);
  if (shortfall) return { state: 'refused', refusal: { why: 'quota', shortfall } };
  if (count!.n >= limits.maxWaiting)
    return { state: 'refused', refusal: { why: 'queue-full', limit: limits.maxWaiting } };
  yield* all(
    sql`insert into waiter_processes (id, alive_until) values (${processId}, ${now + ALIVE_MS})
      on conflict (id) do update set alive_until = excluded.alive_until`,
  );
  if (place !== null) {
    yield* all(
      sql`update waiters set id = ${request.sessionId}, process_id = ${processId}, key_id = ${request.keyId}
        where place = ${place}`,
    );
    return { state: 'waiting' };
  }
  yield* all(
    sql`insert into waiters (id, process_id, account_id, key_id, brand, os_version, model, minutes, app_id,
        record, record_text, idempotency_key, fingerprint, created_at)
      values (${request.sessionId}, ${processId}, ${request.accountId}, ${request.keyId}, ${filter.brand},
        ${filter.osVersion}, ${filter.model}, ${request.minutes}, ${request.appId},
        ${recordFlag(record)}, ${flagOf(request.recordText)}, ${idempotency?.key ?? null}, ${idempotency?.fingerprint ?? null}, ${now})`,
  );
  return { state: 'waiting' };
}

export const keepWaiting = (engine: Engine, processId: string): Promise<boolean> =>
  engine.transact(function* (now): Transaction<boolean> {
    const kept = yield* first(
      sql`update waiter_processes set alive_until = ${now + ALIVE_MS} where id = ${processId} returning id`,
    );
    yield* all(sql`delete from waiter_processes where alive_until < ${now - FORGOTTEN_MS}`);
    return kept !== undefined;
  });

/**
 * Requests with an idempotency key keep their place for a minute, although they are skipped, so that a repeat can
 * resume it.
 */
export const leaveQueue = (engine: Engine, processId: string): Promise<void> =>
  engine.transact(function* (now): Transaction<void> {
    yield* all(sql`delete from waiters where process_id = ${processId} and idempotency_key is null`);
    yield* all(sql`update waiter_processes set alive_until = ${now} where id = ${processId}`);
  });
