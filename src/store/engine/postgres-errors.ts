import pg from 'pg';
import type { OutageReason } from '../store.ts';

/** SQLSTATEs: https://www.postgresql.org/docs/current/errcodes-appendix.html */
export const POSTGRES_CODES = {
  uniqueViolation: '23505',
  /** "cached plan must not change result type": a newer version has changed the schema in the meantime. */
  planIsStale: '0A000',
  /** A standby, or a server that an operator or a full disk has made read-only. */
  readOnlyTransaction: '25006',
  diskFull: '53100',
} as const;

/** Serialisation failures, deadlocks, and transactions that the server ended because their process had stalled. */
const RETRY = new Set<string>(['40001', '40P01', POSTGRES_CODES.planIsStale, '25P03']);
/** `pg` throws this, without a code, for a statement on a connection that was lost before. Nothing was sent. */
const NOT_SENT = 'Client has encountered a connection error and is not queryable';

/**
 * Connection exceptions (08); out of disk, memory or connections (53); shutting down or starting (57P); system errors
 * such as disk errors (58); a read-only server (25006); and timeouts of statements (57014), locks (55P03) and idle
 * transactions (25P03).
 */
const OUTAGE = /^(08|53|57P|58|57014$|55P03$|25006$|25P03$)/;

const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);

/** Messages of errors that `pg` throws without a code. */
const CLIENT =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Cannot use a pool after calling end|Client was closed)/;

/** The transaction was not committed, and a retry is likely to succeed. */
export function isPostgresRetry(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return RETRY.has(error.code ?? '');
  return error instanceof Error && error.message === NOT_SENT;
}

/**
 * The server is unreachable or cannot serve requests now. The connection is closed, because a new one may reach
 * another server, such as the new primary after a failover.
 */
export function isPostgresOutage(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return OUTAGE.test(error.code ?? '');
  if (error instanceof AggregateError) return error.errors.some(isPostgresOutage);
  if (!(error instanceof Error)) return false;
  return ('code' in error && NETWORK.has(String(error.code))) || CLIENT.test(error.message);
}

/** The kind of outage, as far as the server reports it. */
export function postgresOutageReason(error: unknown): OutageReason {
  const code = error instanceof pg.DatabaseError ? error.code : undefined;
  if (code === POSTGRES_CODES.readOnlyTransaction) return 'read-only';
  return code === POSTGRES_CODES.diskFull ? 'out-of-space' : 'unreachable';
}
