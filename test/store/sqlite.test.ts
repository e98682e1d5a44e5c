import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import { openStore } from '../../src/store/open-store.ts';
import { silentLog } from '../../src/util/log.ts';
import { storeSuite } from './suite.ts';

storeSuite('SQLite', async () => {
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
});
