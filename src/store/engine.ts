/**
 * What the two engines have in common. A transaction is a generator: it yields statements and is given their rows,
 * so that the same text runs synchronously inside one SQLite transaction and over a PostgreSQL connection.
 */
import type { Timestamp } from './store.ts';

/** Booleans are stored as 0 and 1. */
export type Value = string | number | null | Uint8Array;

/** A piece of SQL with its values, by the tag `sql`. Pieces may stand in pieces; every other value becomes a parameter. */
export interface Sql<R> {
  readonly strings: readonly string[];
  readonly values: readonly (Value | Sql<unknown>)[];
  /** Never there: carries the type of the rows. */
  readonly rowType?: R;
}

// biome-ignore lint/suspicious/noExplicitAny: a transaction may yield queries of any row type
export type Transaction<T> = Generator<Sql<any>, T, unknown[]>;

export function sql<R>(strings: TemplateStringsArray, ...values: (Value | Sql<unknown>)[]): Sql<R> {
  return { strings, values };
}

/** A text without parameters, never a caller's: a data definition, or words that differ between engines. */
export function raw(text: string): Sql<unknown> {
  return { strings: [text], values: [] };
}

/** One or more pieces, with commas between them. */
export function list(pieces: Sql<unknown>[]): Sql<unknown> {
  return { strings: ['', ...pieces.slice(1).map(() => ', '), ''], values: pieces };
}

export function* all<R>(query: Sql<R>): Transaction<R[]> {
  return (yield query) as R[];
}

export function* first<R>(query: Sql<R>): Transaction<R | undefined> {
  return (yield query)[0] as R | undefined;
}

/** Another transaction has made the same row first. */
export class ConflictError extends Error {
  constructor(cause: unknown) {
    super('another transaction made the same row first', { cause });
    this.name = 'ConflictError';
  }
}

export interface Engine extends AsyncDisposable {
  readonly dialect: Dialect;
  /** Transactions that wait for a connection. */
  readonly waiting: number;
  /** One statement by itself, which commits. @throws ConflictError */
  run<R>(query: Sql<R>): Promise<R[]>;
  /**
   * Runs the body in one transaction, and again from its start when the engine had to give way to another
   * transaction: the body must do nothing but yield statements and compute.
   */
  transact<T>(body: (now: Timestamp) => Transaction<T>): Promise<T>;
}

export interface Dialect {
  /** Several rows are locked one after another while others do the same: without it, there is one writer. */
  readonly supportsConcurrentWriters: boolean;
  /** `with x as (update … returning …)`. */
  readonly supportsWritingCtes: boolean;
  /** Locks the rows that a select finds; nothing where one writer excludes all others. */
  readonly forUpdate: Sql<unknown>;
  readonly forUpdateSkipLocked: Sql<unknown>;
  /** The same, and whoever references the rows waits as well. */
  readonly forRevocation: Sql<unknown>;
  /** Locks rows as referencing them does: against `forRevocation`, and nothing else. */
  readonly forReference: Sql<unknown>;
  /** The engine's clock, in Unix milliseconds; the store's is this plus `clockOffsetMs()`. */
  readonly clock: Sql<unknown>;
  clockOffsetMs(): number;
  /** What stands behind a column that is to be one of these: found by its index, however many they are. */
  isOneOf(ids: readonly string[]): Sql<unknown>;
}

/** Writes a query out, its parameters as the engine has them; `placeholder` is given their index, from 1. */
export function writeOut(
  query: Sql<unknown>,
  placeholder: (index: number) => string,
): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const write = (piece: Sql<unknown>): string =>
    piece.strings.reduce((text, part, at) => {
      const value = piece.values[at - 1] ?? null;
      if (isSql(value)) return text + write(value) + part;
      return text + placeholder(values.push(value)) + part;
    });
  return { text: write(query), values };
}

function isSql(value: Value | Sql<unknown>): value is Sql<unknown> {
  return typeof value === 'object' && value !== null && 'strings' in value;
}
