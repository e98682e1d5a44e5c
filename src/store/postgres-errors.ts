import pg from 'pg';
import type { OutageReason } from './store.ts';

/** SQLSTATEs: https://www.postgresql.org/docs/current/errcodes-appendix.html */
export const POSTGRES_CODES = {
  uniqueViolation: '23505',
  /** "cached plan must not change result type": a newer version has changed the schema meanwhile. */
  planIsStale: '0A000',
  /** A standby, or a server on which an operator or a full disk made transactions read-only. */
  readOnlyTransaction: '25006',
  diskFull: '53100',
} as const;

const RETRY = new Set<string>(['40001', '40P01', POSTGRES_CODES.planIsStale]);

/**
 * Connection exceptions (08), out of disk, memory or connections (53), shut down or starting (57P), system errors such as
 * those of the disk (58), a server that is read-only (25006), and the deadlines on statements (57014), locks (55P03) and
 * idle transactions (25P03).
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

/** What `pg` throws without any code, by its text. */
const CLIENT =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Query read timeout|Client has encountered a connection error|Cannot use a pool after calling end|Client was closed)/;

/** The server gave way to another transaction: the same again is likely to work. */
export function isPostgresRetry(error: unknown): boolean {
  return error instanceof pg.DatabaseError && RETRY.has(error.code ?? '');
}

/**
 * The server cannot be reached, or cannot serve now. The connection is closed: a new one may reach another server, such as
 * the new primary after a failover.
 */
export function isPostgresOutage(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return OUTAGE.test(error.code ?? '');
  if (error instanceof AggregateError) return error.errors.some(isPostgresOutage);
  if (!(error instanceof Error)) return false;
  return ('code' in error && NETWORK.has(String(error.code))) || CLIENT.test(error.message);
}

/** What an outage is, as far as the server says. */
export function postgresOutageReason(error: unknown): OutageReason {
  const code = error instanceof pg.DatabaseError ? error.code : undefined;
  if (code === POSTGRES_CODES.readOnlyTransaction) return 'read-only';
  return code === POSTGRES_CODES.diskFull ? 'out-of-space' : 'unreachable';
}
