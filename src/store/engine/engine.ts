/**
 * The common interface of the two database engines. A transaction is a generator that yields statements and receives
 * their rows, so that the same code runs synchronously in a SQLite transaction and asynchronously over a PostgreSQL
 * connection.
 */
import type { Timestamp } from '../entities.ts';
import type { Batches } from './batches.ts';

/** Booleans are stored as 0 and 1. A list becomes an array, which only PostgreSQL has. */
export type Value = string | number | null | Uint8Array | readonly (string | number | null)[];

/**
 * A fragment of SQL with its values, built with the tag `sql`. Fragments can be nested; every other value becomes a
 * parameter.
 */
export interface Sql<R> {
  readonly strings: readonly string[];
  readonly values: readonly (Value | Sql<unknown>)[];
  /** Never set; carries the type of the rows. */
  readonly rowType?: R;
}

// biome-ignore lint/suspicious/noExplicitAny: a transaction may yield queries of any row type
export type Transaction<T> = Generator<Sql<any>, T, unknown[]>;

export function sql<R>(strings: TemplateStringsArray, ...values: (Value | Sql<unknown>)[]): Sql<R> {
  return { strings, values };
}

/**
 * SQL text without parameters, which must never contain user input: data definitions, or syntax that differs between
 * engines.
 */
export function raw(text: string): Sql<unknown> {
  return { strings: [text], values: [] };
}

/** Joins one or more fragments with commas. */
export function list(pieces: Sql<unknown>[]): Sql<unknown> {
  return { strings: ['', ...pieces.slice(1).map(() => ', '), ''], values: pieces };
}

export function* all<R>(query: Sql<R>): Transaction<R[]> {
  return (yield query) as R[];
}

export function* first<R>(query: Sql<R>): Transaction<R | undefined> {
  return (yield query)[0] as R | undefined;
}

/** Another transaction inserted the same row first (unique violation). */
export class ConflictError extends Error {
  constructor(cause: unknown) {
    super('another transaction inserted the same row first', { cause });
    this.name = 'ConflictError';
  }
}

export interface Engine extends AsyncDisposable {
  readonly dialect: Dialect;
  /** Combines the statements of concurrent requests. null: the engine itself combines concurrent commits. */
  readonly batches: Batches | null;
  /** Number of transactions that wait for a connection, or for a statement that they can share. */
  readonly waiting: number;
  /** Runs and commits a single statement. @throws ConflictError */
  run<R>(query: Sql<R>): Promise<R[]>;
  /**
   * Runs the body in one transaction, and runs it again from the start after a conflict with another transaction. The
   * body must therefore only yield statements and compute.
   */
  transact<T>(body: (now: Timestamp) => Transaction<T>): Promise<T>;
}

export interface Dialect {
  /** Several transactions can write at once, and lock rows. false: there is a single writer at a time. */
  readonly supportsConcurrentWriters: boolean;
  /** Whether `with x as (update … returning …)` is supported. */
  readonly supportsWritingCtes: boolean;
  /** Locks the rows that a query selects. Empty for an engine with a single writer. */
  readonly forUpdate: Sql<unknown>;
  readonly forUpdateSkipLocked: Sql<unknown>;
  /** As `forUpdate`, but also blocks transactions that reference the rows. */
  readonly forRevocation: Sql<unknown>;
  /** Locks rows as a foreign key reference does: conflicts with `forRevocation` only. */
  readonly forReference: Sql<unknown>;
  /** The time on the store's clock when the statement evaluates the expression, Unix milliseconds. */
  currentTime(): Sql<unknown>;
  /**
   * Condition, to follow a column, that its value is one of these. It uses the index of the column, however many
   * values there are.
   */
  isOneOf(ids: readonly string[]): Sql<unknown>;
}
