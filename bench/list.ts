/**
 * Measures the list of devices: 20 items filtered by brand and status, from increasing numbers of phones and at
 * increasing page depths. The comparison is the same server returning a constant body of the same size, which
 * includes every cost except that of the list itself. Repeated pages are answered from memory; all pages in turn are
 * not, because there are more of them than the service keeps.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoreLocation } from '../src/store/open-store.ts';
import { query, startPostgres } from '../test/fixtures/postgres.ts';
import { type Child, startChild } from './kit/child.ts';
import { HttpConnection, httpRequest } from './kit/http-connection.ts';
import type { GetOrder, Load } from './kit/http-load.ts';
import { printTable, printTitle, printVerdict, QUICK, quickest, show } from './kit/report.ts';
import { section } from './kit/section.ts';
import type { Borrower } from './kit/shelf.ts';

/** `--only=embedded` or `--only=postgres` measures one of the stores. */
const ONLY = process.argv.find((word) => word.startsWith('--only='))?.slice('--only='.length);
const CLIENTS = 16;
const ROUNDS = QUICK ? 1 : 3;
const SECONDS = QUICK ? 1 : 2;
/** Time for the JIT compilers to warm up, which is not part of any figure. */
const WARM_UP_SECONDS = QUICK ? 1 : 5;
const SIZES = QUICK ? [1_000, 10_000] : [1_000, 10_000, 100_000];
const PHONES_PER_HOST = 1_000;
const DEADLINE_MS = 600_000;
const PAGE = '/v1/devices?brand=google&status=available';

interface World {
  service: Child;
  load: Child;
  port: number;
  keys: string[];
}

interface Measured extends Load {
  /** CPU time of the service's process per request, in microseconds. */
  cpuMicros: number;
}

async function openWorld(location: StoreLocation, opened: AsyncDisposableStack): Promise<World> {
  const service = opened.use(await startChild(new URL('./kit/service-child.ts', import.meta.url)));
  const load = opened.use(await startChild(new URL('./kit/http-load.ts', import.meta.url)));
  const options = { location, borrowers: CLIENTS };
  const { port, borrowers } = await service.call<{ port: number; borrowers: Borrower[] }>('open', options);
  return { service, load, port, keys: borrowers.map(({ key }) => key) };
}

/** Returns the body of one answer. */
async function fetchOnce({ port, keys }: World, path: string): Promise<string> {
  const connection = await HttpConnection.open(port);
  try {
    return (await connection.ask(httpRequest('GET', path, keys[0]!))).body.toString();
  } finally {
    connection.close();
  }
}

async function get(world: World, paths: string[], seconds = SECONDS): Promise<Measured> {
  const { service, load, port, keys } = world;
  const before = await service.spent();
  const result = await load.call<Load>('get', { ports: [port], keys, paths, seconds } satisfies GetOrder);
  const after = await service.spent();
  return { ...result, cpuMicros: (after.cpuMicros - before.cpuMicros) / (result.perSecond * seconds) };
}

/** Measures the named pages in turn, round after round. Returns the fastest run of each. */
async function compare(world: World, cases: Record<string, string[]>): Promise<Record<string, Measured>> {
  const runs: Record<string, Measured[]> = {};
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, paths] of Object.entries(cases)) {
      runs[name] ??= [];
      runs[name].push(await get(world, paths));
    }
  }
  return Object.fromEntries(Object.entries(runs).map(([name, of]) => [name, quickest(of)]));
}

async function measure(engine: string, world: World, settle: () => Promise<unknown>): Promise<void> {
  await world.service.call('addPhones', {
    from: 0,
    to: SIZES[0],
    phonesPerHost: PHONES_PER_HOST,
    busy: true,
  });
  const body = await fetchOnce(world, PAGE);
  await world.service.call('answerConstantly', body.length);
  for (const path of ['/constant', PAGE]) await get(world, [path], WARM_UP_SECONDS);
  const found: Record<string, Measured>[] = [];
  let from = 0;
  for (const to of SIZES) {
    const phones = { from, to, phonesPerHost: PHONES_PER_HOST, busy: true };
    await world.service.call('addPhones', phones, 300_000);
    await settle();
    const { total } = JSON.parse(await fetchOnce(world, PAGE)).data;
    const deep = Math.floor(total / 20);
    const first = `${show(to)} phones, page 1`;
    const cases = {
      [`constant body, beside ${show(to)}`]: ['/constant'],
      [first]: [PAGE],
      [`${show(to)}, page ${deep}`]: [`${PAGE}&page=${deep}`],
      [`${show(to)}, all pages in turn`]: Array.from({ length: deep }, (_, n) => `${PAGE}&page=${n + 1}`),
    };
    found.push(await compare(world, cases));
    from = to;
  }
  printTitle(`GET ${PAGE}, ${engine}, ${CLIENTS} clients, ${body.length} bytes`);
  print(found);
  printVerdicts(found);
}

/** Prints each group of cases. The first of a group is the constant body. */
function print(found: Record<string, Measured>[]): void {
  const rows = found.flatMap((group) => {
    const [constant] = Object.values(group);
    return Object.entries(group).map(([name, { perSecond, p50, p99, cpuMicros }]) => [
      name,
      show(perSecond),
      show(perSecond / constant!.perSecond),
      show(p50, 'ms'),
      show(p99, 'ms'),
      show(cpuMicros, 'µs'),
      show(cpuMicros / constant!.cpuMicros),
    ]);
  });
  printTable(['', 'requests/s', 'ratio', 'p50', 'p99', 'service CPU', 'ratio'], rows);
}

/** The rates of pages are compared as shares of the constant body's rate, which is measured beside each number of phones. */
function printVerdicts(found: Record<string, Measured>[]): void {
  const shares = found.map((group) => {
    const [constant, ...pages] = Object.values(group).map(({ perSecond }) => perSecond);
    return pages.map((perSecond) => perSecond / constant!);
  });
  const [fewPage1] = shares[0]!;
  const [page1, deep, inTurn] = shares.at(-1)!;
  const [few, most] = [show(SIZES[0]!), show(SIZES.at(-1)!)];
  printVerdict(`page 1 of ${most} phones: 0.5 of a constant body`, page1! >= 0.5);
  printVerdict(`page 1 of ${most} phones: within a fifth of that of ${few}`, page1! >= 0.8 * fewPage1!);
  printVerdict(`the last page of ${most} phones: 0.7 of page 1`, deep! >= 0.7 * page1!);
  printVerdict(`all pages of ${most} phones in turn: 0.5 of a constant body`, inTurn! >= 0.5);
}

async function onSqlite(opened: AsyncDisposableStack): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'phonebooth-bench-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const world = await openWorld({ sqliteFile: join(folder, 'store.db') }, opened);
  await measure('the embedded store', world, async () => {});
}

async function onPostgres(opened: AsyncDisposableStack): Promise<void> {
  const postgres = opened.use(await startPostgres());
  const databaseUrl = await postgres.createDatabase();
  const world = await openWorld({ databaseUrl }, opened);
  // PostgreSQL's autovacuum does this within minutes of so many new rows.
  await measure('PostgreSQL', world, () => query(databaseUrl, 'vacuum analyze'));
}

if (ONLY !== 'postgres') await section(DEADLINE_MS, onSqlite);
if (ONLY !== 'embedded') await section(DEADLINE_MS, onPostgres);
