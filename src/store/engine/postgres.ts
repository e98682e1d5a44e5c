import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Log } from '../../util/log.ts';
import { LogThrottle } from '../../util/log-throttle.ts';
import type { Timestamp } from '../entities.ts';
import type { Vocabulary } from '../migrations/migration.ts';
import { StoreUnavailableError } from '../store.ts';
import { Batches } from './batches.ts';
import { ConflictError, type Dialect, type Engine, raw, type Sql, sql, type Transaction } from './engine.ts';
import { migrate } from './migrate.ts';
import {
  isPostgresOutage,
  isPostgresRetry,
  POSTGRES_CODES,
  postgresOutageReason,
} from './postgres-errors.ts';
import { QueryTexts } from './query-texts.ts';

const CLOCK = 'floor(extract(epoch from clock_timestamp()) * 1000)::bigint';

const VOCABULARY: Vocabulary = {
  text: 'text collate "C"',
  bytes: 'bytea',
  clock: CLOCK,
  // Leaves room on the page for the next version of a row, so that an update does not touch an index (HOT update)
  hotTable: 'with (fillfactor = 50)',
  supportsConcurrentWriters: true,
  // An arbitrary number that no other program uses in this database
  lock: 'select pg_advisory_xact_lock(7100714300)',
};

/**
 * Ordered so that the first deadline that passes shows what is slow. The last one is the client's, for a server that
 * is gone. The first one ends the transaction of a process that has stalled, such as one on a suspended virtual machine,
 * before others that wait for its locks fail. That process repeats it.
 */
const TIMEOUTS = {
  idle_in_transaction_session_timeout: 3_000,
  connectionTimeoutMillis: 5_000,
  lock_timeout: 5_000,
  statement_timeout: 10_000,
  query_timeout: 12_000,
};
const MAX_CONNECTIONS = 20;
const MAX_ATTEMPTS = 6;
/**
 * Maximum number of prepared statements per connection. Texts are few and constant, except for bulk inserts.
 */
const MAX_PREPARED = 200;

/** Connects and migrates the schema to the latest version. */
export async function openPostgres(url: string, clockOffsetMs: () => number, log: Log): Promise<Engine> {
  const engine = new PostgresEngine(url, clockOffsetMs, log);
  try {
    await migrate(engine, VOCABULARY);
  } catch (error) {
    await engine[Symbol.asyncDispose]();
    throw error;
  }
  return engine;
}

class PostgresEngine implements Engine {
  readonly dialect: Dialect;
  readonly batches: Batches;
  private readonly pool: pg.Pool;
  private readonly clockOffsetMs: () => number;
  private readonly texts = new QueryTexts((index) => `$${index}`);
  private readonly names = new Map<string, string>();

  constructor(url: string, clockOffsetMs: () => number, log: Log) {
    this.clockOffsetMs = () => Math.round(clockOffsetMs());
    this.dialect = {
      supportsConcurrentWriters: true,
      supportsWritingCtes: true,
      // Not `for update`: it would conflict with transactions that insert a row that references this one
      forUpdate: raw('for no key update'),
      forUpdateSkipLocked: raw('for no key update skip locked'),
      forRevocation: raw('for update'),
      forReference: raw('for key share'),
      currentTime: () => sql`${raw(CLOCK)} + ${this.clockOffsetMs()}`,
      // The planner cannot estimate `in (select …)`, and scans tables of thousands of rows sequentially
      isOneOf: (ids) => sql`= any(array(select jsonb_array_elements_text(${storableJson(ids)})))`,
    };
    this.pool = new pg.Pool({
      connectionString: url,
      application_name: 'phonebooth',
      max: MAX_CONNECTIONS,
      keepAlive: true,
      types: { getTypeParser },
      ...TIMEOUTS,
    });
    this.batches = new Batches(log);
    // A server that stops closes all of them at once.
    const throttle = new LogThrottle();
    this.pool.on('error', (err) =>
      throttle.log('idle', (suppressed) => log.warn({ err, suppressed }, 'idle database connection lost')),
    );
    // The pool handles errors of idle connections only. Without this listener, a connection that is lost while it is
    // checked out, between two statements, would end the process. The next statement on it reports the error.
    this.pool.on('connect', (client) => client.on('error', () => {}));
  }

  get waiting(): number {
    return this.pool.waitingCount + this.batches.waiting;
  }

  run<R>(query: Sql<R>): Promise<R[]> {
    return this.attempt(async (client) => (await client.query(this.prepare(query))).rows as R[]);
  }

  transact<T>(body: (now: Timestamp) => Transaction<T>): Promise<T> {
    return this.attempt(async (client) => {
      const now = await begin(client, this.clockOffsetMs());
      try {
        const transaction = body(now);
        let step = transaction.next();
        while (!step.done) step = transaction.next((await client.query(this.prepare(step.value))).rows);
        await client.query('commit');
        return step.value;
      } catch (error) {
        if (!isPostgresOutage(error)) await client.query('rollback');
        throw error;
      }
    }, POSTGRES_CODES.uniqueViolation);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.pool.end();
  }

  /**
   * Retries after errors that another attempt is likely to avoid, and after the code in `alsoRetry`, with a bounded
   * number of attempts.
   */
  private async attempt<T>(work: (client: pg.PoolClient) => Promise<T>, alsoRetry?: string): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.withClient(work);
      } catch (error) {
        const code = codeOf(error);
        const again = isPostgresRetry(error) || (alsoRetry !== undefined && code === alsoRetry);
        if (!again || attempt === MAX_ATTEMPTS) {
          if (code === POSTGRES_CODES.uniqueViolation) throw new ConflictError(error);
          if (!isPostgresOutage(error) && !again) throw error;
          throw new StoreUnavailableError(error, postgresOutageReason(error));
        }
        await delay(Math.random() * 10 * 2 ** attempt);
      }
    }
  }

  private async withClient<T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const client = await this.pool.connect();
    let broken = false;
    try {
      return await work(client);
    } catch (error) {
      broken = isPostgresOutage(error) || codeOf(error) === POSTGRES_CODES.planIsStale;
      throw error;
    } finally {
      client.release(broken);
    }
  }

  private prepare(query: Sql<unknown>): pg.QueryConfig {
    const { text, values } = this.texts.read(query);
    let name = this.names.get(text);
    if (name === undefined && this.names.size < MAX_PREPARED && values.length > 0) {
      name = `phonebooth_${this.names.size}`;
      this.names.set(text, name);
    }
    return { text, values: values.map(storable), ...(name !== undefined && { name }) };
  }
}

async function begin(client: pg.PoolClient, offset: number): Promise<Timestamp> {
  const answers = await client.query(`begin; select ${CLOCK} + (${offset}) as now`);
  // A text with several statements has several results, which the declared type does not reflect
  return (answers as unknown as pg.QueryResult<{ now: Timestamp }>[])[1]!.rows[0]!.now;
}

/**
 * PostgreSQL's text type cannot hold U+0000. It is replaced by U+FFFD in values that are stored or searched for.
 */
function storable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(storable);
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\ufffd') : value;
}

/** JSON for a jsonb parameter, which cannot hold U+0000 or a lone surrogate, not even as an escape sequence. */
const storableJson = (texts: readonly string[]) =>
  JSON.stringify(texts.map((text) => text.toWellFormed().replaceAll('\0', '\ufffd')));

/** bigint (oid 20) as a number: times in milliseconds and counts stay far below 2^53. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === 20 ? Number : pg.types.getTypeParser(oid, format as 'text');
}

function codeOf(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError ? error.code : undefined;
}
