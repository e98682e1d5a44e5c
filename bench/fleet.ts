/**
 * Runs 10,000 phones of 200 hosts, with 1,000 connects and disconnects spread over a minute, on one machine. Measures
 * the latency of lists and connects compared with a fleet of 10 phones in the same run, the resources that every
 * process uses, and the cost of a phone's heartbeat: with reports that always name all phones, and with reports that
 * mostly name only what changed.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { query } from '../test/fixtures/postgres.ts';
import { type Child, type Spent, startChild } from './kit/child.ts';
import type { Asked, ClientsOrder } from './kit/fleet-clients-child.ts';
import type { HostsOrder, Reported } from './kit/fleet-hosts-child.ts';
import { type FleetRig, type Look, openFleetRig } from './kit/fleet-rig.ts';
import { printTable, printTitle, printVerdict, QUICK, show } from './kit/report.ts';
import { section } from './kit/section.ts';

const HOSTS = QUICK ? 20 : 200;
const PHONES_PER_HOST = 50;
const PHONES = HOSTS * PHONES_PER_HOST;
const FEW = 10;
/** Their ids sort after all others, so that a page of the device list shows the fleet that is measured. */
const FIRST_OF_FEW = 1_000_000;
const SECONDS = QUICK ? 5 : 60;
const QUIET_SECONDS = QUICK ? 5 : 20;
const PAIRS_PER_SECOND = 1_000 / 60;
const LISTS_PER_SECOND = 10;
const HOLD_MS = 200;
const AVAILABLE_DEADLINE_MS = 180_000;
const DEADLINE_MS = 1_800_000;

interface World {
  rig: FleetRig;
  hosts: Child;
  clients: Child;
}

interface Measured {
  name: string;
  seconds: number;
  before: Look;
  after: Look;
  /** CPU seconds of the hosts' process during the measurement. `hostsMemory` is its memory at the end, in bytes. */
  hostsCpu: number;
  hostsMemory: number;
  reported: Reported;
  asked: Asked | null;
}

async function available({ rig }: World, count: number): Promise<void> {
  const deadline = performance.now() + AVAILABLE_DEADLINE_MS;
  for (;;) {
    const [row] = await query<{ n: number }>(
      rig.databaseUrl,
      `select count(*)::int as n from devices where status = 'available'`,
    );
    if (row!.n === count) return;
    if (performance.now() > deadline) throw new Error(`only ${row!.n} of ${count} phones became available`);
    await delay(250);
  }
}

function ask(world: World, seconds: number, phones: ClientsOrder['phones']): Promise<Asked> {
  const { rig, clients } = world;
  const order = {
    ...{ port: rig.apiPort, keys: rig.keys, seconds, holdMs: HOLD_MS, phones },
    ...{ lists: Math.round(LISTS_PER_SECOND * seconds), pairs: Math.round(PAIRS_PER_SECOND * seconds) },
  } satisfies ClientsOrder;
  return clients.call<Asked>('ask', order, seconds * 5_000);
}

/** Measures the resources used while clients send requests, or while no client does if `phones` is null. */
async function measure(world: World, name: string, phones: ClientsOrder['phones'] | null): Promise<Measured> {
  const { rig, hosts } = world;
  await hosts.call('takeCounts');
  const seconds = phones ? SECONDS : QUIET_SECONDS;
  const [before, spentBefore] = [await rig.look(), await hosts.spent()];
  const asked = phones ? await ask(world, seconds, phones) : await delay(seconds * 1000).then(() => null);
  const [after, spent] = [await rig.look(), await hosts.spent()];
  return {
    ...{ name, before, after, asked, seconds: (after.at - before.at) / 1000 },
    hostsCpu: (spent.cpuMicros - spentBefore.cpuMicros) / 1e6,
    hostsMemory: (spent satisfies Spent).rss,
    reported: await hosts.call<Reported>('takeCounts'),
  };
}

function printUse(all: readonly Measured[]): void {
  const megabytes = (bytes: number) => show(bytes / 2 ** 20, 'MiB');
  const rate = ({ seconds }: Measured, used: number) => show(used / seconds);
  const rows: [string, (one: Measured) => string][] = [
    ...(['api', 'postgres', 'nats'] as const).flatMap((of): [string, (one: Measured) => string][] => [
      [`${of}, CPU s/s`, (one) => rate(one, one.after[of].cpuSeconds - one.before[of].cpuSeconds)],
      [`${of}, memory`, (one) => megabytes(one.after[of].memory)],
    ]),
    ['hosts, CPU s/s', (one) => rate(one, one.hostsCpu)],
    ['hosts, memory', (one) => megabytes(one.hostsMemory)],
    ['transactions/s', (one) => rate(one, one.after.transactions - one.before.transactions)],
    ['WAL, KiB/s', (one) => rate(one, (one.after.walBytes - one.before.walBytes) / 1024)],
    ['NATS, messages/s', (one) => rate(one, one.after.natsMessages - one.before.natsMessages)],
    ['NATS, KiB/s', (one) => rate(one, (one.after.natsBytes - one.before.natsBytes) / 1024)],
    ['reports/s', (one) => rate(one, one.reported.taken)],
    ['rejected reports', (one) => show(one.reported.unacknowledged)],
    ['report p50', (one) => show(one.reported.p50, 'ms')],
    ['report p99', (one) => show(one.reported.p99, 'ms')],
  ];
  printTable(
    ['', ...all.map(({ name }) => name)],
    rows.map(([name, of]) => [name, ...all.map(of)]),
  );
}

function printTimes(few: Measured, all: readonly Measured[]): void {
  const rows = (['list', 'connect', 'disconnect'] as const).flatMap((what) =>
    (['p50', 'p99'] as const).map((share) => {
      const base = few.asked![what][share];
      const cells = all.flatMap(({ asked }) => {
        const time = asked![what][share];
        return [show(time, 'ms'), show(time / base)];
      });
      return [`${what} ${share}`, show(base, 'ms'), ...cells];
    }),
  );
  const heads = all.flatMap(({ name }) => [name, 'ratio']);
  printTable(['', few.name, ...heads], rows);
  for (const { name, asked } of [few, ...all]) {
    const { list, connect, refused, unavailable } = asked!;
    const failed = `${refused} rejected, ${unavailable} timed out (50300)`;
    console.log(`  ${name}: ${connect.n} connects and ${list.n} lists, ${failed}`);
  }
}

/** CPU time of the control plane (api, PostgreSQL, NATS) per phone and second, in microseconds. */
function heartbeatCost(few: Measured, many: Measured): number {
  const cpu = ({ before, after, seconds }: Measured) =>
    (['api', 'postgres', 'nats'] as const).reduce(
      (sum, of) => sum + (after[of].cpuSeconds - before[of].cpuSeconds) / seconds,
      0,
    );
  return ((cpu(many) - cpu(few)) / PHONES) * 1e6;
}

async function run(opened: AsyncDisposableStack): Promise<void> {
  const done: Measured[] = [];
  opened.defer(() => printAll(done));
  const rig = await openFleetRig(opened, { hosts: HOSTS + 1, accounts: 32 });
  const few = opened.use(await startChild(new URL('./kit/fleet-hosts-child.ts', import.meta.url)));
  const hosts = opened.use(await startChild(new URL('./kit/fleet-hosts-child.ts', import.meta.url)));
  const clients = opened.use(await startChild(new URL('./kit/fleet-clients-child.ts', import.meta.url)));
  const [first, ...others] = rig.credentials;
  const ofFew = { natsUrl: rig.natsUrl, credentials: [first!], phonesPerHost: FEW, firstPhone: FIRST_OF_FEW };
  await few.call('open', ofFew satisfies HostsOrder);
  const small = { rig, hosts: few, clients };
  await available(small, FEW);
  printTitle(`${PHONES} phones of ${HOSTS} hosts, and ${FEW} phones of one`);
  // Warms up the JIT compilers, so that neither side of the comparison includes their work.
  await ask(small, QUIET_SECONDS, { first: FIRST_OF_FEW, count: FEW });
  const quietFew = await measure(small, `${FEW}, idle`, null);
  const askedFew = await measure(small, `${FEW}, under load`, { first: FIRST_OF_FEW, count: FEW });
  done.push(quietFew, askedFew);

  const ofMany = { natsUrl: rig.natsUrl, credentials: others, phonesPerHost: PHONES_PER_HOST, firstPhone: 0 };
  await hosts.call('open', ofMany satisfies HostsOrder, AVAILABLE_DEADLINE_MS);
  const big = { rig, hosts, clients };
  await available(big, PHONES + FEW);
  for (const [how, alwaysComplete] of [
    ['changes only', false],
    ['all phones named', true],
  ] as const) {
    await hosts.call('setAlwaysComplete', alwaysComplete);
    await delay(QUIET_SECONDS * 250);
    done.push(await measure(big, `${how}, idle`, null));
    done.push(await measure(big, `${how}, under load`, { first: 0, count: PHONES }));
  }
}

/** Also prints what was measured when the deadline passed before all measurements were done. */
function printAll(done: readonly Measured[]): void {
  if (done.length > 0) printUse(done);
  const [quietFew, askedFew, idleChanges, loadedChanges, idleAll, loadedAll] = done;
  if (askedFew && loadedChanges) {
    console.log('');
    printTimes(askedFew, loadedAll ? [loadedChanges, loadedAll] : [loadedChanges]);
  }
  if (quietFew && idleChanges && idleAll) {
    const [all, news] = [heartbeatCost(quietFew, idleAll), heartbeatCost(quietFew, idleChanges)];
    console.log(
      `\n  a phone's heartbeats, CPU of api, PostgreSQL and NATS: all phones named ${show(all, 'µs/s')}, ` +
        `changes only ${show(news, 'µs/s')}, ratio ${show(news / all)}`,
    );
  }
  if (!askedFew || !loadedChanges) return;
  printVerdict('no report that names only changes was lost', loadedChanges.reported.unacknowledged === 0);
  printVerdict(
    'connect p99 at most twice that of ten phones',
    ratioOf(loadedChanges, askedFew, 'connect') <= 2,
  );
  printVerdict('list p99 at most twice that of ten phones', ratioOf(loadedChanges, askedFew, 'list') <= 2);
}

const ratioOf = (one: Measured, base: Measured, what: 'list' | 'connect') =>
  one.asked![what].p99 / base.asked![what].p99;

await section(DEADLINE_MS, run);
