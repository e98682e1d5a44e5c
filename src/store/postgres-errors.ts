import pg from 'pg';

/** SQLSTATEs: https://www.postgresql.org/docs/current/errcodes-appendix.html */
export const POSTGRES_CODES = {
  uniqueViolation: '23505',
  /** "cached plan must not change result type": a newer version has changed the schema meanwhile. */
  planIsStale: '0A000',
} as const;

const RETRY = new Set<string>(['40001', '40P01', POSTGRES_CODES.planIsStale]);

/**
 * Connection exceptions (08), out of disk, memory or connections (53), shut down or starting (57P), and the deadlines
 * on statements (57014), locks (55P03) and idle transactions (25P03).
 */
const OUTAGE = /^(08|53|57P|57014$|55P03$|25P03$|58)/;

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

/** The server cannot be reached, or cannot serve now; the connection is of no use any more. */
export function isPostgresOutage(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return OUTAGE.test(error.code ?? '');
  if (error instanceof AggregateError) return error.errors.some(isPostgresOutage);
  if (!(error instanceof Error)) return false;
  return ('code' in error && NETWORK.has(String(error.code))) || CLIENT.test(error.message);
}
