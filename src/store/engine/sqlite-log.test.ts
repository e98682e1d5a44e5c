import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Log, silentLog } from '../../util/log.ts';
import { StoreUnavailableError } from '../store.ts';
import { all, type Engine, sql, type Transaction } from './engine.ts';
import { openSqlite } from './sqlite.ts';
import type { SqliteLogOptions } from './sqlite-log.ts';

const WITHIN = { timeout: 60_000 };

interface Opened {
  engine: Engine;
  file: string;
}

async function open(options: Partial<SqliteLogOptions>, logger: Log = silentLog): Promise<Opened> {
  const folder = await mkdtemp(join(tmpdir(), 'phonebooth-sqlite-log-'));
  const file = join(folder, 'store.db');
  const engine = await openSqlite(file, () => 0, logger, options);
  onTestFinished(async () => {
    await engine[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });
  return { engine, file };
}

const insert = (engine: Engine, name: string, bytes = 1) =>
  engine.transact(function* (): Transaction<string> {
    yield* all(sql`insert into secrets (name, value) values (${name}, ${new Uint8Array(bytes)})`);
    return name;
  });

/** A disk whose syncs succeed until `stop` is called. Afterwards each of them is pending until the test settles it. */
function stoppableDisk() {
  const pending: PromiseWithResolvers<void>[] = [];
  let isStopped = false;
  const sync = () => {
    const sync = Promise.withResolvers<void>();
    if (isStopped) pending.push(sync);
    else sync.resolve();
    return sync.promise;
  };
  const stop = () => {
    isStopped = true;
  };
  const resume = () => {
    isStopped = false;
    for (const { resolve } of pending.splice(0)) resolve();
  };
  return { sync, pending, stop, resume };
}

/** Opens the database as another process would. */
function openBeside(file: string): Database.Database {
  const db = new Database(file);
  onTestFinished(() => void db.close());
  return db;
}

/** Number of pages in the log. */
const pagesOf = (db: Database.Database) => (db.pragma('wal_checkpoint(noop)') as { log: number }[])[0]!.log;

const oneTurn = () => new Promise((resolve) => setImmediate(resolve));

test('a transaction, and a read that shows it, resolve when a sync that began after its commit has finished', async () => {
  const disk = stoppableDisk();
  const { engine, file } = await open({ sync: disk.sync });
  const beside = openBeside(file);
  onTestFinished(disk.resume);
  disk.stop();
  const settled: string[] = [];
  const note = (name: string) => settled.push(name);
  const first = insert(engine, 'first').then(note);
  await vi.waitFor(() => expect(disk.pending).toHaveLength(1), WITHIN);
  const others = ['second', 'third'].map(async (name) => note(await insert(engine, name)));
  const committed = beside.prepare("select count(*) from secrets where name in ('second', 'third')").pluck();
  await vi.waitFor(() => expect(committed.get()).toBe(2), WITHIN);
  const read = engine.run(sql`select 1 from secrets where name = 'third'`).then((rows) => {
    expect(rows).toHaveLength(1);
    note('read');
  });
  expect(settled).toEqual([]);
  disk.pending[0]!.resolve();
  await first;
  await vi.waitFor(() => expect(disk.pending).toHaveLength(2), WITHIN);
  await oneTurn();
  expect(settled).toEqual(['first']);
  disk.pending[1]!.resolve();
  await Promise.all([...others, read]);
  expect(settled.toSorted()).toEqual(['first', 'read', 'second', 'third']);
  expect(disk.pending).toHaveLength(2);
});

test('the database is unavailable after a sync has failed', async () => {
  const disk = stoppableDisk();
  const { engine, file } = await open({ sync: disk.sync });
  disk.stop();
  const first = insert(engine, 'first');
  await vi.waitFor(() => expect(disk.pending).toHaveLength(1), WITHIN);
  const second = insert(engine, 'second');
  await oneTurn();
  disk.pending[0]!.reject(new Error('EIO: i/o error, fdatasync'));
  await expect(first).rejects.toThrow(StoreUnavailableError);
  await expect(second).rejects.toThrow(StoreUnavailableError);
  disk.resume();
  const later = await insert(engine, 'later').catch((error: unknown) => error);
  expect(later).toBeInstanceOf(StoreUnavailableError);
  expect((later as Error).cause).toMatchObject({ message: expect.stringContaining('restart the service') });
  await expect(engine.run(sql`select 1`)).rejects.toThrow(StoreUnavailableError);
  expect(openBeside(file).prepare("select name from secrets where name = 'later'").all()).toEqual([]);
});

test('a transaction is rejected when the disk does not respond in time, and later ones succeed when it does', async () => {
  const disk = stoppableDisk();
  const { engine } = await open({ sync: disk.sync, timeoutMs: 50 });
  disk.stop();
  await expect(insert(engine, 'first')).rejects.toThrow(StoreUnavailableError);
  disk.resume();
  expect(await insert(engine, 'second')).toBe('second');
});

test('the log starts again from its beginning after a checkpoint, and nothing is lost', async () => {
  const { engine, file } = await open({ checkpointPages: 64 });
  const beside = openBeside(file);
  let inserted = 0;
  let restarts = 0;
  let pages = 0;
  const until = performance.now() + WITHIN.timeout;
  while (restarts < 3 && performance.now() < until) {
    const four = [0, 1, 2, 3].map(() => insert(engine, `n${inserted++}`, 15_000));
    await Promise.all(four);
    const before = pages;
    pages = pagesOf(beside);
    if (pages < before) restarts += 1;
  }
  expect(restarts).toBe(3);
  const kept = "select count(*) from secrets where name glob 'n[0-9]*' and length(value) = 15000";
  expect(beside.prepare(kept).pluck().get()).toBe(inserted);
  expect(beside.pragma('integrity_check', { simple: true })).toBe('ok');
});

test('transactions that a checkpoint holds are rejected when it does not end in time, and later ones succeed', async () => {
  const runs: PromiseWithResolvers<void>[] = [];
  const openCheckpoints = () => ({
    run: () => {
      const run = Promise.withResolvers<void>();
      runs.push(run);
      return run.promise;
    },
    [Symbol.asyncDispose]: async () => {},
  });
  const { engine } = await open({ checkpointPages: 1, timeoutMs: 50, openCheckpoints, sync: async () => {} });
  runs[0]!.resolve();
  await vi.waitFor(() => expect(runs).toHaveLength(2), WITHIN);
  await expect(insert(engine, 'held')).rejects.toThrow(StoreUnavailableError);
  runs[1]!.resolve();
  await oneTurn();
  expect(await insert(engine, 'later')).toBe('later');
  expect(await engine.run(sql`select name from secrets where name = 'held'`)).toEqual([]);
  // The last transaction began another checkpoint, which the thread would end when it is stopped
  runs[2]!.reject(new Error('the thread ended'));
});

test('a checkpoint that fails is logged, and the next one is made when the log has grown as much again', async () => {
  const lines: object[] = [];
  const warn = (fields: object, message: string) => lines.push({ ...fields, message });
  const err = new Error('the disk is full');
  let runs = 0;
  const run = async () => {
    runs += 1;
    throw err;
  };
  const openCheckpoints = () => ({ run, [Symbol.asyncDispose]: async () => {} });
  const { engine, file } = await open({ checkpointPages: 1_000, openCheckpoints }, { ...silentLog, warn });
  const beside = openBeside(file);
  for (let n = 0; pagesOf(beside) < 2_500; n++) await insert(engine, `n${n}`, 100_000);
  expect(runs).toBe(2);
  const message = 'checkpoint of the embedded store failed';
  expect(lines).toMatchObject([
    { err, message },
    { err, message },
  ]);
});

test('transactions that begin while the database is closed are rejected, and those before are kept', async () => {
  const disk = stoppableDisk();
  const { engine, file } = await open({ sync: disk.sync, checkpointPages: 1 });
  onTestFinished(disk.resume);
  disk.stop();
  const before = insert(engine, 'before');
  const closed = engine[Symbol.asyncDispose]();
  const late = insert(engine, 'late');
  await expect(late).rejects.toThrow(StoreUnavailableError);
  await expect(engine.run(sql`select 1`)).rejects.toThrow(StoreUnavailableError);
  disk.resume();
  expect(await before).toBe('before');
  await closed;
  const names = openBeside(file).prepare("select name from secrets where name in ('before', 'late')").pluck();
  expect(names.all()).toEqual(['before']);
  await engine[Symbol.asyncDispose]();
});

test('transactions go on while another process reads from the log, and the log starts again afterwards', async () => {
  const { engine, file } = await open({ checkpointPages: 64 });
  await insert(engine, 'before');
  const [reader, beside] = [openBeside(file), openBeside(file)];
  reader.exec('begin');
  const count = reader.prepare('select count(*) from secrets').pluck();
  const before = count.get();
  for (let n = 0; n < 100; n++) await insert(engine, `during.${n}`, 15_000);
  expect(count.get()).toBe(before);
  reader.exec('rollback');
  expect(pagesOf(beside)).toBeGreaterThan(400);
  let n = 0;
  await vi.waitFor(
    async () => {
      await insert(engine, `after.${n++}`, 15_000);
      expect(pagesOf(beside)).toBeLessThan(64);
    },
    { ...WITHIN, interval: 1 },
  );
});
