import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLog } from '../../util/log.ts';
import { type Engine, type Sql, sql } from '../engine/engine.ts';
import { QueryTexts } from '../engine/query-texts.ts';
import { openSqlite } from '../engine/sqlite.ts';
import { DevicePages } from './device-pages.ts';

const textOf = (query: Sql<unknown>) => new QueryTexts(() => '?').read(query).text;

let folder: string;
let engine: Engine;
/** The statements that were run, by table. */
let reads: { pages: number; log: number };
let pages: DevicePages;

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  folder = mkdtempSync(join(tmpdir(), 'phonebooth-pages-'));
  engine = await openSqlite(join(folder, 'store.db'), () => 0, silentLog);
  await engine.run(sql`insert into hosts (id, name, last_seen) values ('h', 'h', 0)`);
  for (const id of ['d1', 'd2', 'd3']) await insert(id);
  reads = { pages: 0, log: 0 };
  const run: Engine['run'] = (query) => {
    reads[textOf(query).includes('sqlite_sequence') ? 'log' : 'pages'] += 1;
    return engine.run(query);
  };
  pages = new DevicePages({ ...engine, dialect: engine.dialect, run });
});
afterEach(async () => {
  vi.useRealTimers();
  await engine[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true });
});

const insert = (id: string) =>
  engine.run(sql`
    insert into devices (id, host_id, name, brand, model, os_version, screen_size, resolution, epoch, clean_epoch,
      present, usable, status)
    values (${id}, 'h', ${id}, 'google', 'M', '14', '6.1', '1x1', 0, 0, 1, 1, 'available')`);
const list = (more = {}) => pages.list({ accountId: 'a', page: 1, pageSize: 2, ...more });
const rename = () => engine.run(sql`update devices set name = 'new' where id = 'd1'`);

test('reads a page again only after a change', async () => {
  for (let n = 0; n < 10; n++) await list();
  // The first read of the log has nothing to compare with, so the page is read again after it.
  expect(reads).toEqual({ pages: 2, log: 9 });
  await rename();
  expect((await list()).items[0]?.name).toBe('new');
  for (let n = 0; n < 10; n++) await list();
  expect(reads.pages).toBe(3);
});

test('does not read the log for a page that is not cached, or that has expired', async () => {
  await list();
  await list({ page: 2 });
  await list({ status: 'available' });
  await list({ accountId: 'b' });
  vi.advanceTimersByTime(1_001);
  await list();
  expect(reads).toEqual({ pages: 5, log: 0 });
});

test('simultaneous requests share one read of the log', async () => {
  await list();
  await list();
  reads = { pages: 0, log: 0 };
  await Promise.all(Array.from({ length: 20 }, () => list()));
  expect(reads).toEqual({ pages: 0, log: 1 });
});

test('keeps the pages that were read last, up to a bound', async () => {
  await list();
  await list({ page: 2 });
  for (let n = 0; n < 199; n++) await list({ accountId: `b${n}` });
  reads = { pages: 0, log: 0 };
  await list();
  expect(reads).toEqual({ pages: 1, log: 0 });
  await list({ accountId: 'b198' });
  expect(reads.log).toBe(1);
});

test('reads a high page from the end of the one before it, unless a device has changed', async () => {
  await Promise.all(Array.from({ length: 700 }, (_, n) => insert(`e${1_000 + n}`)));
  const texts: string[] = [];
  const run: Engine['run'] = (query) => {
    texts.push(textOf(query));
    return engine.run(query);
  };
  pages = new DevicePages({ ...engine, dialect: engine.dialect, run });
  const read = async (page: number) => {
    texts.length = 0;
    const { items } = await list({ page, pageSize: 100 });
    return { first: items[0]?.id, skips: texts.some((text) => /offset/.test(text)) };
  };
  // The first read of the log has nothing to compare with.
  for (const page of [5, 6]) await read(page);
  expect(await read(7)).toEqual({ first: 'e1597', skips: false });
  await rename();
  expect(await read(8)).toEqual({ first: 'e1697', skips: true });
});

test('does not cache a page whose read failed', async () => {
  vi.spyOn(engine, 'run').mockRejectedValueOnce(new Error('unreachable'));
  await expect(list()).rejects.toThrow('unreachable');
  expect((await list()).total).toBe(3);
});
