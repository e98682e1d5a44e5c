/**
 * Measures the latency and CPU cost that a link between machines adds to a packet, compared with plain TLS
 * connections between the same two processes; and whether a stalled gateway and a stalled viewer affect the viewers
 * of other gateways.
 */
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { BusRequests } from '../src/bus/messages.ts';
import { type Child, startChild } from './kit/child.ts';
import type { SourceOptions } from './kit/packet-source.ts';
import { printTable, printTitle, printVerdict, QUICK, show } from './kit/report.ts';
import { section } from './kit/section.ts';
import type { Seen } from './kit/viewers-child.ts';

const PER_SECOND = 30;
const MEGABITS = 8;
const SCREEN: SourceOptions = {
  packetBytes: Math.round((MEGABITS * 1e6) / 8 / PER_SECOND),
  perSecond: PER_SECOND,
};
/** Many short rounds, so that at least one of them runs undisturbed. */
const ROUNDS = QUICK ? 1 : 6;
const STALL_ROUNDS = QUICK ? 1 : 3;
const SECONDS = QUICK ? 2 : 3;
/** Longer than a peer is allowed to be silent, so that the connection to it is closed meanwhile. */
const STALL_SECONDS = QUICK ? 2 : 9;
const WARM_UP_MS = QUICK ? 500 : 1000;
const DEADLINE_MS = 400_000;
const SESSIONS = 20;
const LINKED_DEADLINE_MS = 60_000;

const SOURCE = new URL('./kit/link-source-child.ts', import.meta.url);
const SINK = new URL('./kit/link-sink-child.ts', import.meta.url);
const GATEWAY = new URL('./kit/link-gateway-child.ts', import.meta.url);
const VIEWERS = new URL('./kit/viewers-child.ts', import.meta.url);

/** Figures of one round, or the best of several rounds. Any disturbance of the machine makes a figure larger. */
interface Figures extends Seen {
  /** CPU time per second of one session, in milliseconds. */
  agentCpu: number;
  gatewayCpu: number;
}

function best<T extends Partial<Figures>>(rounds: readonly T[]): T {
  const names = Object.keys(rounds[0]!) as (keyof Figures)[];
  const least = (name: keyof Figures) => Math.min(...rounds.map((round) => round[name] ?? Number.NaN));
  return Object.fromEntries(names.map((name) => [name, least(name)])) as unknown as T;
}

async function carry(source: Child, sink: Child, count: number, open: () => Promise<void>): Promise<Figures> {
  await open();
  await source.call('start', SCREEN);
  await delay(WARM_UP_MS);
  const before = [await source.spent(), await sink.spent()] as const;
  const seen = await sink.call<Seen>('watch', { seconds: SECONDS });
  const after = [await source.spent(), await sink.spent()] as const;
  await source.call('closeLinks');
  if (seen.packets === 0) throw new Error('no packet arrived');
  const cpu = (n: 0 | 1) => (after[n].cpuMicros - before[n].cpuMicros) / 1000 / SECONDS / count;
  return { ...seen, agentCpu: cpu(0), gatewayCpu: cpu(1) };
}

async function measureLink(opened: AsyncDisposableStack): Promise<void> {
  const source = opened.use(await startChild(SOURCE));
  const sink = opened.use(await startChild(SINK));
  const { ingest, port } = await sink.call<{ ingest: string; port: number }>('open');
  printTitle(`Links and bare TLS pipes, sessions of ${MEGABITS} Mbit/s, ${PER_SECOND} packets/s`);
  const results: { count: number; piped: Figures; linked: Figures }[] = [];
  for (const count of QUICK ? [1, SESSIONS] : [1, SESSIONS, 2 * SESSIONS]) {
    const [piped, linked]: [Figures[], Figures[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      piped.push(await carry(source, sink, count, () => source.call('connectPipes', { port, count })));
      linked.push(await carry(source, sink, count, () => source.call('dialLinks', { ingest, count })));
    }
    results.push({ count, piped: best(piped), linked: best(linked) });
  }
  printTable(
    [
      'sessions',
      'pipe p50',
      'p99',
      'link p50',
      'p99',
      'added p50',
      'p99',
      'CPU agent',
      'gateway',
      'of TLS pipe',
    ],
    results.map(({ count, piped, linked }) => [
      `${count}`,
      ...[piped.p50, piped.p99, linked.p50, linked.p99].map((ms) => show(ms, 'ms')),
      ...[linked.p50 - piped.p50, linked.p99 - piped.p99].map((ms) => show(ms, 'ms')),
      ...[linked.agentCpu, linked.gatewayCpu].map((ms) => show(ms, 'ms/s')),
      `${show(linked.agentCpu / piped.agentCpu)} and ${show(linked.gatewayCpu / piped.gatewayCpu)}`,
    ]),
  );
  printVerdict(
    'less than 1 ms added at p99',
    results.every(({ piped, linked }) => linked.p99 - piped.p99 < 1),
  );
}

/** A gateway process, with one viewer of every session. */
interface Site {
  gateway: Child;
  viewers: Child;
  pid: number;
  address: { port: number; paths: string[] };
}

async function openSite(opened: AsyncDisposableStack): Promise<Site> {
  const gateway = opened.use(await startChild(GATEWAY));
  const viewers = opened.use(await startChild(VIEWERS));
  const address = await gateway.call<Site['address']>('open', { sessions: SESSIONS });
  return { gateway, viewers, pid: await gateway.call('pid'), address };
}

async function watch({ viewers, address: { port, paths } }: Site): Promise<void> {
  for (const path of paths) await viewers.call('open', { port, path, count: 1 });
}

/**
 * Acts as the bus between the processes: passes the gateways' dial requests to the host until the host has this many
 * links.
 */
async function settle(agent: Child, sites: readonly Site[], links: number): Promise<void> {
  const deadline = performance.now() + LINKED_DEADLINE_MS;
  while ((await agent.call<number>('links')) !== links) {
    if (performance.now() > deadline) throw new Error(`the host did not reach ${links} links`);
    for (const { gateway } of sites) {
      const asked = await gateway.call<BusRequests['host.dial']['request'][]>('takeDials');
      await Promise.all(asked.map((request) => agent.call('attach', request)));
    }
    await delay(20);
  }
}

/** Opens a viewer of the first session that reads nothing. */
async function openStalledViewer({ address: { port, paths } }: Site): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${paths[0]}`);
  socket.on('error', () => {});
  await once(socket, 'open');
  socket.pause();
  return socket;
}

/**
 * Measures what the site's viewers receive while another gateway is stopped and another viewer of the same site reads
 * nothing.
 */
async function measureStalled(site: Site, other: Site): Promise<Seen> {
  const viewer = await openStalledViewer(site);
  process.kill(other.pid, 'SIGSTOP');
  try {
    return await site.viewers.call<Seen>('watch', { seconds: STALL_SECONDS });
  } finally {
    process.kill(other.pid, 'SIGCONT');
    viewer.terminate();
  }
}

async function measureIsolation(opened: AsyncDisposableStack): Promise<void> {
  const agent = opened.use(await startChild(SOURCE));
  const sites = [await openSite(opened), await openSite(opened)] as const;
  const [site, other] = sites;
  await agent.call('openScreens', { count: SESSIONS });
  await agent.call('start', SCREEN);
  printTitle(
    `One viewer of each of ${SESSIONS} sessions, beside another gateway of the same sessions, running and stalled`,
  );
  const rounds: Record<'alone' | 'beside' | 'stalled', Seen>[] = [];
  for (let round = 0; round < STALL_ROUNDS; round++) {
    // These minimal viewers do not answer pings, so the gateway closes them as dead when they live much longer than a
    // round.
    await watch(site);
    await settle(agent, sites, SESSIONS);
    await delay(WARM_UP_MS);
    const alone = await site.viewers.call<Seen>('watch', { seconds: STALL_SECONDS });
    await watch(other);
    await settle(agent, sites, 2 * SESSIONS);
    await delay(WARM_UP_MS);
    const beside = await site.viewers.call<Seen>('watch', { seconds: STALL_SECONDS });
    rounds.push({ alone, beside, stalled: await measureStalled(site, other) });
    for (const { viewers } of sites) await viewers.call('close');
    await settle(agent, sites, 0);
  }
  const [alone, beside, stalled] = (['alone', 'beside', 'stalled'] as const).map((name) =>
    best(rounds.map((round) => round[name])),
  ) as [Seen, Seen, Seen];
  const whole = SESSIONS * PER_SECOND * STALL_SECONDS;
  printTable(
    ['', 'p50', 'p99', 'arrived'],
    [
      ['no other gateway', alone] as const,
      ['another gateway, running', beside] as const,
      ['another gateway, stopped, and a local viewer that reads nothing', stalled] as const,
    ].map(([name, { p50, p99, packets }]) => [name, show(p50, 'ms'), show(p99, 'ms'), show(packets / whole)]),
  );
  printVerdict(
    'a stalled gateway and a stalled viewer add less than 1 ms at p99',
    stalled.p99 - alone.p99 < 1,
  );
}

await section(DEADLINE_MS, measureLink);
await section(DEADLINE_MS, measureIsolation);
