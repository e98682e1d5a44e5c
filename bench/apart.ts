/**
 * Measures the cost of running the roles in separate processes: the latency of frames and commands when the gateway
 * and the phone's host are two processes, compared with one process; and the connects and disconnects per second that
 * one, two and four api processes handle.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { BusRequests } from '../src/bus/messages.ts';
import { query } from '../test/fixtures/postgres.ts';
import type { Called, CallOrder } from './kit/callers-child.ts';
import { type Child, startChild } from './kit/child.ts';
import type { HostsOrder } from './kit/fleet-hosts-child.ts';
import { openFleetRig } from './kit/fleet-rig.ts';
import type { ConnectOrder, Load } from './kit/http-load.ts';
import type { SourceOptions } from './kit/packet-source.ts';
import { printTable, printTitle, printVerdict, QUICK, quickest, show } from './kit/report.ts';
import { section } from './kit/section.ts';
import type { Seen } from './kit/viewers-child.ts';

const ROUNDS = QUICK ? 1 : 4;
const SECONDS = QUICK ? 1 : 3;
const WARM_UP_MS = QUICK ? 500 : 1_000;
const DEADLINE_MS = 400_000;
const SCREEN: SourceOptions = { packetBytes: Math.round(8e6 / 8 / 30), perSecond: 30 };
const TAP = { method: 'tap', params: { x: 0.5, y: 0.25 } };

const APIS = QUICK ? [1, 2] : [1, 2, 4];
const HOSTS = 20;
const PHONES_PER_HOST = 20;
const CLIENTS = 16;
const CONNECT_SECONDS = QUICK ? 3 : 10;
const READY_DEADLINE_MS = 120_000;

const child = (name: string) => startChild(new URL(`./kit/${name}-child.ts`, import.meta.url));

interface Times {
  p50: number;
  p99: number;
}

/** The best of several rounds. Any disturbance of the machine makes a time longer. */
const best = (rounds: Times[]): Times => ({
  p50: Math.min(...rounds.map(({ p50 }) => p50)),
  p99: Math.min(...rounds.map(({ p99 }) => p99)),
});

function printApart(title: string, one: Times, apart: Times): void {
  printTable(
    [title, 'in one process', 'apart', 'added', 'ratio'],
    (['p50', 'p99'] as const).map((of) => [
      of,
      ...[one[of], apart[of], apart[of] - one[of]].map((ms) => show(ms, 'ms')),
      show(apart[of] / one[of]),
    ]),
  );
}

/** Starts a gateway and its host in two processes. The bench itself acts as the bus between them. */
async function openApart(opened: AsyncDisposableStack, sessions: number) {
  const [host, gateway] = [opened.use(await child('link-source')), opened.use(await child('link-gateway'))];
  const address = await gateway.call<{ port: number; paths: string[]; controls: string[] }>('open', {
    sessions,
  });
  await host.call('openScreens', { count: sessions });
  const stopping = new AbortController();
  const passOn = (async () => {
    while (!stopping.signal.aborted) {
      const asked = await gateway.call<BusRequests['host.dial']['request'][]>('takeDials');
      await Promise.all(asked.map((request) => host.call('attach', request)));
      await delay(20, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  opened.defer(async () => {
    stopping.abort();
    await passOn.catch(() => {});
  });
  return { host, ...address };
}

async function measureStream(opened: AsyncDisposableStack): Promise<void> {
  const viewers = opened.use(await child('viewers'));
  const relay = opened.use(await child('relay'));
  const inOne = await relay.call<{ port: number; path: string }>('open');
  const apart = await openApart(opened, 1);
  const see = async (source: Child, address: { port: number; path: string }): Promise<Seen> => {
    await viewers.call('open', { ...address, count: 1 });
    await source.call('start', SCREEN);
    await delay(WARM_UP_MS);
    const seen = await viewers.call<Seen>('watch', { seconds: SECONDS });
    await source.call('stop');
    await viewers.call('close');
    if (seen.packets === 0) throw new Error('no packet arrived');
    return seen;
  };
  printTitle('Latency of a frame to one viewer, 8 Mbit/s');
  const [one, two]: [Seen[], Seen[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    one.push(await see(relay, inOne));
    two.push(await see(apart.host, { port: apart.port, path: apart.paths[0]! }));
  }
  printApart('frame', best(one), best(two));
}

async function measureControl(opened: AsyncDisposableStack): Promise<void> {
  const callers = opened.use(await child('callers'));
  const control = opened.use(await child('control'));
  const inOne = await control.call<{ port: number; paths: string[] }>('open', { sessions: 1 });
  const apart = await openApart(opened, 1);
  const call = (port: number, paths: string[]) =>
    callers.call<Called>('call', {
      ...{ port, paths, seconds: SECONDS, call: TAP, perSecond: null, awaitReady: true },
    } satisfies CallOrder);
  await call(inOne.port, inOne.paths);
  await call(apart.port, apart.controls);
  printTitle('Round trip of a command to the phone');
  const [one, two]: [Called[], Called[]] = [[], []];
  for (let round = 0; round < ROUNDS; round++) {
    one.push(await call(inOne.port, inOne.paths));
    two.push(await call(apart.port, apart.controls));
  }
  printApart('tap', best(one), best(two));
}

async function measureApis(opened: AsyncDisposableStack): Promise<void> {
  const rig = await openFleetRig(opened, { hosts: HOSTS, accounts: CLIENTS });
  const hosts = opened.use(await child('fleet-hosts'));
  const load = opened.use(await startChild(new URL('./kit/http-load.ts', import.meta.url)));
  const { natsUrl, credentials, keys } = rig;
  const phones = { phonesPerHost: PHONES_PER_HOST, firstPhone: 0 };
  await hosts.call('open', { natsUrl, credentials, ...phones } satisfies HostsOrder, READY_DEADLINE_MS);
  const ports = [rig.apiPort];
  const results: { apis: number; best: Load }[] = [];
  printTitle(`Pairs of connect and disconnect, phones cleaned between sessions, ${CLIENTS} clients`);
  for (const apis of APIS) {
    while (ports.length < apis) ports.push(await rig.addApi());
    const rounds: Load[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await allAvailable(rig.databaseUrl);
      const order = {
        ports,
        keys,
        seconds: CONNECT_SECONDS,
        phones: { from: 0, to: HOSTS * PHONES_PER_HOST },
      };
      rounds.push(
        await load.call<Load>('connect', { ...order, of: 'light hosts', again: true } satisfies ConnectOrder),
      );
    }
    results.push({ apis, best: quickest(rounds) });
  }
  const [first] = results;
  printTable(
    ['api processes', 'pairs/s', 'of one process', 'pair p50', 'p99', 'rejected while cleaning'],
    results.map(({ apis, best: { perSecond, p50, p99, refused } }) => [
      `${apis}`,
      show(perSecond),
      show(perSecond / first!.best.perSecond),
      show(p50, 'ms'),
      show(p99, 'ms'),
      show(refused),
    ]),
  );
  printVerdict(
    'more api processes: 0.8 of the pairs of one, on processors that they share with the clients and PostgreSQL',
    results.every(({ best: { perSecond } }) => perSecond >= 0.8 * first!.best.perSecond),
  );
}

async function allAvailable(databaseUrl: string): Promise<void> {
  const deadline = performance.now() + READY_DEADLINE_MS;
  for (;;) {
    const [row] = await query<{ n: number }>(
      databaseUrl,
      `select count(*)::int as n from devices where status = 'available'`,
    );
    if (row!.n === HOSTS * PHONES_PER_HOST) return;
    if (performance.now() > deadline) throw new Error(`only ${row!.n} phones became available`);
    await delay(250);
  }
}

await section(DEADLINE_MS, measureStream);
await section(DEADLINE_MS, measureControl);
await section(DEADLINE_MS, measureApis);
