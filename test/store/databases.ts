import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import pg from 'pg';
import { openStore } from '../../src/store/open-store.ts';
import { type Log, silentLog } from '../../src/util/log.ts';
import type { TestPostgres } from '../fixtures/postgres.ts';
import type { Database } from './world.ts';

/** Creates an empty database of the embedded engine. */
export async function sqliteDatabase(): Promise<Database> {
  const folder = mkdtempSync(join(tmpdir(), 'phonebooth-store-'));
  const sqliteFile = join(folder, 'phonebooth.db');
  let beside: BetterSqlite.Database | undefined;
  return {
    open: (clockOffsetMs) => openStore({ sqliteFile }, { log: silentLog, clockOffsetMs }),
    query: async <R>(text: string) => {
      beside ??= new BetterSqlite(sqliteFile);
      const statement = beside.prepare<unknown[], R>(text);
      if (statement.reader) return statement.all();
      statement.run();
      return [];
    },
    [Symbol.asyncDispose]: async () => {
      beside?.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Fails the run if a batch fails. Its items run one by one, so that a test would not notice it. */
const LOG: Log = {
  ...silentLog,
  warn: (fields: object, message?: string) => {
    if (!message?.startsWith('batched statement failed')) return;
    setImmediate(() => {
      throw new Error(message, { cause: fields });
    });
  },
};

/** Creates an empty database on a PostgreSQL server. */
export async function postgresDatabase(server: Pick<TestPostgres, 'createDatabase'>): Promise<Database> {
  const databaseUrl = await server.createDatabase();
  const beside = new pg.Client({ connectionString: databaseUrl });
  await beside.connect();
  return {
    open: (clockOffsetMs) => openStore({ databaseUrl }, { log: LOG, clockOffsetMs }),
    query: async <R>(text: string) => (await beside.query(text)).rows as R[],
    [Symbol.asyncDispose]: () => beside.end(),
  };
}
