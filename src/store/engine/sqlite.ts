import { chmodSync, closeSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';
import type { Log } from '../../util/log.ts';
import type { Timestamp } from '../entities.ts';
import type { Vocabulary } from '../migrations/migration.ts';
import { type OutageReason, StoreUnavailableError } from '../store.ts';
import { type Dialect, type Engine, raw, type Sql, sql, type Transaction } from './engine.ts';
import { migrate } from './migrate.ts';
import { QueryTexts } from './query-texts.ts';
import { SqliteLog, type SqliteLogOptions } from './sqlite-log.ts';

const CLOCK = "cast(round(unixepoch('subsec') * 1000) as integer)";

const VOCABULARY: Vocabulary = {
  text: 'text',
  bytes: 'blob',
  clock: CLOCK,
  hotTable: '',
  supportsConcurrentWriters: false,
  lock: null,
};

/** Another process, such as the command line beside a running server, writes only briefly. */
const BUSY_TIMEOUT_MS = 2_000;
/**
 * There are few distinct statements and their texts are constant, except for value lists of variable length.
 */
const MAX_PREPARED = 500;
/**
 * A parameter, with an operator that changes nothing. SQLite compares the value of a bare parameter with the conditions
 * of partial indexes when it plans a statement, and then plans it again for each new value.
 */
const PARAMETER = '+?';
/** Maximum number of transactions that share one commit. */
const MAX_BATCH = 256;

interface Job {
  body: (now: Timestamp) => Transaction<unknown>;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/** Opens or creates the file, readable only by its owner, and migrates its schema to the latest version. */
export async function openSqlite(
  file: string,
  clockOffsetMs: () => number,
  logger: Log,
  options?: Partial<SqliteLogOptions>,
): Promise<Engine> {
  let engine: SqliteEngine;
  try {
    engine = new SqliteEngine(file, clockOffsetMs, logger, options);
  } catch (error) {
    throw translate(error);
  }
  try {
    await migrate(engine, VOCABULARY);
  } catch (error) {
    await engine[Symbol.asyncDispose]();
    throw error;
  }
  return engine;
}

/**
 * SQLite in this thread. Transactions that are requested in the same turn of the event loop share one commit. If one of
 * them fails, they run again with a commit each, which is rare, whereas a savepoint for each transaction would always copy
 * the pages that it changes. Each resolves once its commit is durable. So does a read, whose rows may come from a commit that
 * is not durable yet.
 */
class SqliteEngine implements Engine {
  readonly dialect: Dialect;
  readonly batches = null;
  private readonly db: Database.Database;
  private readonly texts = new QueryTexts(() => PARAMETER);
  private readonly prepared = new Map<string, Database.Statement>();
  private readonly clock: () => Timestamp;
  private readonly log: SqliteLog;
  private readonly logSize: Database.Statement<[], { log: number }>;
  private jobs: Job[] = [];
  /** Number of jobs at the start of the queue that shared a commit with one that failed. */
  private repeated = 0;
  private isScheduled = false;
  private closing: Promise<void> | null = null;

  get waiting(): number {
    return this.jobs.length;
  }

  constructor(file: string, clockOffsetMs: () => number, logger: Log, options?: Partial<SqliteLogOptions>) {
    const offset = () => Math.round(clockOffsetMs());
    this.clock = () => Date.now() + offset();
    this.dialect = {
      supportsConcurrentWriters: false,
      supportsWritingCtes: false,
      forUpdate: raw(''),
      forUpdateSkipLocked: raw(''),
      forRevocation: raw(''),
      forReference: raw(''),
      currentTime: () => sql`${raw(CLOCK)} + ${offset()}`,
      isOneOf: (ids) => sql`in (select value from json_each(${JSON.stringify(ids)}))`,
    };
    closeSync(openSync(file, 'a', 0o600));
    chmodSync(file, 0o600);
    this.db = new Database(file, { timeout: BUSY_TIMEOUT_MS });
    try {
      this.db.pragma('journal_mode = WAL');
      this.db.pragma('synchronous = NORMAL');
      this.db.pragma('wal_autocheckpoint = 0');
      this.db.pragma('foreign_keys = ON');
      // A statement keeps the previous versions of the pages that it changes, of which it would otherwise write more than
      // 64 KiB to a temporary file (https://www.sqlite.org/tempfiles.html)
      this.db.pragma('temp_store = memory');
      // Also the first read, which creates the log
      this.logSize = this.db.prepare('pragma wal_checkpoint(noop)');
      this.logSize.get();
      this.log = new SqliteLog(file, () => this.schedule(), logger, options);
    } catch (error) {
      this.db.close();
      throw error;
    }
  }

  async run<R>(query: Sql<R>): Promise<R[]> {
    try {
      this.assertAvailable();
      const { statement, values } = this.prepare(query);
      if (statement.readonly) {
        const rows = execute(statement, values) as R[];
        await this.log.synced();
        return rows;
      }
    } catch (error) {
      throw translate(error);
    }
    return this.transact(function* () {
      return (yield query) as R[];
    });
  }

  transact<T>(body: (now: Timestamp) => Transaction<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.jobs.push({ body, resolve: resolve as (value: unknown) => void, reject });
      this.schedule();
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.closing ??= this.close();
    return this.closing;
  }

  private async close(): Promise<void> {
    while (this.jobs.length > 0) this.commitJobs();
    await this.log[Symbol.asyncDispose]();
    this.db.close();
  }

  private schedule(): void {
    const mustWait = this.log.isHeld && this.log.failure === null;
    if (this.isScheduled || this.jobs.length === 0 || mustWait) return;
    this.isScheduled = true;
    setImmediate(() => {
      this.isScheduled = false;
      this.commitJobs();
      this.schedule();
    });
  }

  /** @throws StoreUnavailableError */
  private assertAvailable(): void {
    if (this.closing) throw new StoreUnavailableError(new Error('the database is closed'));
    if (this.log.failure) throw new StoreUnavailableError(this.log.failure);
  }

  private commitJobs(): void {
    const jobs = this.jobs.splice(0, this.repeated > 0 ? 1 : MAX_BATCH);
    if (jobs.length === 0) return;
    this.repeated = Math.max(0, this.repeated - jobs.length);
    try {
      this.commit(jobs);
    } catch (error) {
      const isUndone = this.db.open && this.db.inTransaction;
      if (isUndone) this.rollBack();
      const cause = translate(error);
      if (isUndone && jobs.length > 1 && !(cause instanceof StoreUnavailableError)) {
        this.jobs.unshift(...jobs);
        this.repeated = jobs.length;
      } else {
        rejectAll(jobs, cause);
      }
    }
  }

  private commit(jobs: Job[]): void {
    this.assertAvailable();
    this.command('begin immediate');
    const values = jobs.map(({ body }) => this.steps(body));
    this.command('commit');
    this.log.sync().then(
      () => {
        for (const [index, job] of jobs.entries()) job.resolve(values[index]);
      },
      (error) => rejectAll(jobs, error),
    );
    this.log.setSize(this.logSize.get()!.log);
  }

  private steps(body: Job['body']): unknown {
    const transaction = body(this.clock());
    let step = transaction.next();
    while (!step.done) {
      const { statement, values } = this.prepare(step.value);
      step = transaction.next(execute(statement, values));
    }
    return step.value;
  }

  private rollBack(): void {
    try {
      this.command('rollback');
    } catch {
      // The database has already rolled back; the error that caused the call is the one to report
    }
  }

  private command(text: string): void {
    this.statement(text).run();
  }

  private prepare(query: Sql<unknown>): { statement: Database.Statement; values: readonly unknown[] } {
    const { text, values } = this.texts.read(query);
    return { statement: this.statement(text), values };
  }

  private statement(text: string): Database.Statement {
    let statement = this.prepared.get(text);
    if (!statement) {
      statement = this.db.prepare(text);
      const oldest = this.prepared.size >= MAX_PREPARED && this.prepared.keys().next().value;
      if (oldest) this.prepared.delete(oldest);
      this.prepared.set(text, statement);
    }
    return statement;
  }
}

function rejectAll(jobs: Job[], error: unknown): void {
  for (const job of jobs) job.reject(error);
}

function execute(statement: Database.Statement, values: readonly unknown[]): unknown[] {
  if (statement.reader) return statement.all(values);
  statement.run(values);
  return [];
}

/**
 * https://www.sqlite.org/rescode.html: errors of the disk, the file or memory, or a lock that another process holds
 * for too long.
 */
const OUTAGE = /^SQLITE_(FULL|IOERR|BUSY|CANTOPEN|READONLY|PROTOCOL|NOMEM)/;

function translate(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const closed = error instanceof TypeError && error.message === 'The database connection is not open';
  return closed || OUTAGE.test(code) ? new StoreUnavailableError(error, outageReason(code)) : error;
}

function outageReason(code: string): OutageReason {
  if (code.startsWith('SQLITE_FULL')) return 'out-of-space';
  return code.startsWith('SQLITE_READONLY') ? 'read-only' : 'unreachable';
}
