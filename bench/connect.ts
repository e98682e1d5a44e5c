/**
 * Measures pairs of connect and disconnect per second: over HTTP, compared with pgbench sending the store's own
 * statements to the same server, and those statements compared with the fewest that record a lease; and on the
 * embedded store, compared with the fewest writes of the same durability.
 * The PostgreSQL server does not wait for its disk on either side, so the bench compares the work and not the disk.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type StoreLocation } from '../src/store/open-store.ts';
import { silentLog } from '../src/util/log.ts';
import { query, startPostgres } from '../test/fixtures/postgres.ts';
import { type Child, startChild } from './kit/child.ts';
import type { ConnectOrder, Load } from './kit/http-load.ts';
import { minimalScript, pairsScript, pgbench, recordPairs } from './kit/pgbench.ts';
import { printTable, printTitle, printVerdict, QUICK, quickest, show } from './kit/report.ts';
import { section } from './kit/section.ts';
import type { Borrower } from './kit/shelf.ts';
import { writeBareSqlite } from './kit/sqlite-writes.ts';

/** `--only=embedded` or `--only=postgres` measures one of the stores. */
const ONLY = process.argv.find((word) => word.startsWith('--only='))?.slice('--only='.length);
const CLIENTS = 16;
/** Pairs that share their statements, when two statements at a time serve all clients. */
const BATCH = 8;
const ROUNDS = QUICK ? 1 : 3;
const SECONDS = 3;
const DEADLINE_MS = 300_000;
/** Phones that are borrowed once per round and cleaned between rounds. Their hosts do nothing. */
const PHONES = { from: 0, to: QUICK ? 16_000 : 32_000, phonesPerHost: 1_000 };
/** Phones whose hosts clean them as soon as a session ends, so that they are borrowed repeatedly. */
const CLEANED = { from: 100_000, to: 100_640, phonesPerHost: 20 };

interface World {
  service: Child;
  load: Child;
  port: number;
  borrowers: Borrower[];
}

async function openWorld(location: StoreLocation, opened: AsyncDisposableStack): Promise<World> {
  const service = opened.use(await startChild(new URL('./kit/service-child.ts', import.meta.url)));
  const load = opened.use(await startChild(new URL('./kit/http-load.ts', import.meta.url)));
  const options = { location, borrowers: CLIENTS };
  const { port, borrowers } = await service.call<Pick<World, 'port' | 'borrowers'>>('open', options);
  await service.call('serveHosts', { ...PHONES, cleans: false });
  await service.call('serveHosts', { ...CLEANED, cleans: true });
  for (const phones of [PHONES, CLEANED]) await service.call('addPhones', phones, 120_000);
  return { service, load, port, borrowers };
}

interface Measured extends Load {
  /** CPU time of the service's process per pair, in microseconds. */
  cpuMicros: number;
}

async function connectOverHttp(world: World, phones: typeof PHONES): Promise<Measured> {
  const { service, load, port, borrowers } = world;
  const keys = borrowers.map(({ key }) => key);
  const what = { phones, of: 'shelf' as const, again: phones === CLEANED };
  const order = { ports: [port], keys, seconds: SECONDS, ...what } satisfies ConnectOrder;
  const before = await service.spent();
  const result = await load.call<Load>('connect', order);
  const after = await service.spent();
  await service.call('cleanPhones', phones);
  return { ...result, cpuMicros: (after.cpuMicros - before.cpuMicros) / (result.perSecond * SECONDS) };
}

async function connectInStore({ service }: World): Promise<number> {
  const perSecond = await service.call<number>('connectInStore', { seconds: SECONDS, ...PHONES });
  await service.call('cleanPhones', PHONES);
  return perSecond;
}

interface Result {
  limit: number[];
  inStore: number[];
  http: Measured[];
  cleaned: Measured[];
}

/** Runs the cases in turn in every round, so that other load on the machine affects all of them alike. */
async function measure(world: World, limit: (round: number) => Promise<number>): Promise<Result> {
  const result: Result = { limit: [], inStore: [], http: [], cleaned: [] };
  for (let round = 0; round < ROUNDS; round++) {
    result.limit.push(await limit(round));
    result.inStore.push(await connectInStore(world));
    result.http.push(await connectOverHttp(world, PHONES));
    result.cleaned.push(await connectOverHttp(world, CLEANED));
  }
  return result;
}

/** Prints the fastest round of each case as a share of the fastest round of the limit. */
function print(
  limitName: string,
  { limit, inStore, http, cleaned }: Result,
): { inStore: number; http: number } {
  const best = Math.max(...limit);
  const row = (name: string, perSecond: number, measured?: Measured) => [
    name,
    show(perSecond),
    show(perSecond / best),
    ...(measured ? [show(measured.p50, 'ms'), show(measured.p99, 'ms'), show(measured.cpuMicros, 'µs')] : []),
  ];
  const [once, again] = [quickest(http), quickest(cleaned)];
  printTable(
    ['', 'pairs/s', 'ratio', 'pair p50', 'p99', 'service CPU'],
    [
      row(limitName, best),
      row('the store alone', Math.max(...inStore)),
      row('over HTTP', once.perSecond, once),
      row('over HTTP, phones cleaned and borrowed again', again.perSecond, again),
    ],
  );
  return { inStore: Math.max(...inStore) / best, http: once.perSecond / best };
}

async function onPostgres(opened: AsyncDisposableStack): Promise<void> {
  const postgres = opened.use(await startPostgres());
  const databaseUrl = await postgres.createDatabase();
  const world = await openWorld({ databaseUrl }, opened);
  const store = opened.use(await openStore({ databaseUrl }, { log: silentLog }));
  const choice = { phones: PHONES, accounts: CLIENTS };
  const single = pairsScript(await recordPairs(store, world.borrowers, 1), choice);
  await world.service.call('cleanPhones', PHONES);
  const batched = pairsScript(await recordPairs(store, world.borrowers, BATCH), choice);
  const minimal = await minimalScript(databaseUrl, choice);
  await world.service.call('cleanPhones', PHONES);
  await query(databaseUrl, 'vacuum analyze');
  const granted = async () => {
    const rows = await query<{ n: number }>(databaseUrl, 'select count(*)::int as n from sessions');
    return rows[0]!.n;
  };
  const others: { leases: number[]; batched: number[] } = { leases: [], batched: [] };
  const own = async (script: string, pairs: number, round: number) => {
    const before = await granted();
    const load = { clients: CLIENTS / pairs, seconds: SECONDS, round };
    const { transactions, perSecond } = await pgbench(databaseUrl, script, load);
    const missing = transactions * pairs - ((await granted()) - before);
    if (missing !== 0) throw new Error(`${missing} pairs of pgbench were not granted`);
    await world.service.call('cleanPhones', PHONES);
    return perSecond * pairs;
  };
  const result = await measure(world, async (round) => {
    const load = { clients: CLIENTS, seconds: SECONDS, round };
    others.leases.push((await pgbench(databaseUrl, minimal, load)).perSecond);
    others.batched.push(await own(batched, BATCH, ROUNDS + round));
    return own(single, 1, round);
  });
  printTitle(`PostgreSQL, ${CLIENTS} clients with an account each, ${PHONES.to} phones`);
  const ratio = print("pgbench, the store's statements for one pair", result);
  const [together, least] = [Math.max(...others.batched), Math.max(...others.leases)];
  console.log(`  (pgbench, the store's statements for ${BATCH} pairs: ${show(together)} pairs/s)`);
  console.log(`  (pgbench, a minimal lease schema: ${show(least)} pairs/s)`);
  printVerdict(
    `the store's statements for ${BATCH} pairs: 0.35 of the minimal schema (${show(together / least)})`,
    together / least >= 0.35,
  );
  printVerdict('the store alone: 0.70 of pgbench', ratio.inStore >= 0.7);
  printVerdict(
    'over HTTP: 0.50 of pgbench, with clients and service on the same processors',
    ratio.http >= 0.5,
  );
}

async function onSqlite(opened: AsyncDisposableStack): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'phonebooth-bench-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const world = await openWorld({ sqliteFile: join(folder, 'store.db') }, opened);
  const bare = (pairsPerCommit: number, round: number) =>
    writeBareSqlite(join(folder, `bare-${pairsPerCommit}-${round}.db`), {
      seconds: SECONDS,
      pairsPerCommit,
      phones: PHONES.to,
    });
  const grouped: number[] = [];
  const result = await measure(world, async (round) => {
    grouped.push(bare(CLIENTS, round));
    return bare(1, round);
  });
  printTitle(`The embedded store, ${CLIENTS} clients with an account each, ${PHONES.to} phones`);
  const ratio = print('bare SQLite, a commit for each write', result);
  console.log(
    `  (bare SQLite with a commit for each ${CLIENTS} writes: ${show(Math.max(...grouped))} pairs/s)`,
  );
  printVerdict('over HTTP: 0.70 of bare SQLite that commits each write', ratio.http >= 0.7);
}

if (ONLY !== 'embedded') await section(DEADLINE_MS, onPostgres);
if (ONLY !== 'postgres') await section(DEADLINE_MS, onSqlite);
