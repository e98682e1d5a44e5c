/**
 * Measures the latency that the stream gateway adds to a packet and its cost per viewer, compared with a TCP server
 * that writes the same packets to the same number of connections. Both run in the same process as the packet source.
 * The viewers are in another process.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Child, startChild } from './kit/child.ts';
import type { SourceOptions } from './kit/packet-source.ts';
import { printTable, printTitle, printVerdict, QUICK, show } from './kit/report.ts';
import { section } from './kit/section.ts';
import type { Seen } from './kit/viewers-child.ts';

const PER_SECOND = 30;
const ROUNDS = QUICK ? 1 : 3;
const SECONDS = QUICK ? 2 : 4;
const WARM_UP_MS = QUICK ? 500 : 1_000;
const DEADLINE_MS = 300_000;
const CASES = [
  { viewers: 1, megabits: 4 },
  { viewers: 1, megabits: 32 },
  { viewers: 20, megabits: 4 },
  { viewers: 20, megabits: 32 },
].filter(({ viewers, megabits }) => !QUICK || (viewers === 1) === (megabits === 4));

/** A process that sends packets, and its address. */
interface Sender {
  child: Child;
  address: { port: number; path?: string };
}

interface Figures {
  p50: number;
  p99: number;
  /** CPU time of the sender's process per second of one viewer, in milliseconds. */
  cpu: number;
  /** Share of the packets that arrived during the measurement. It is below 1 if the machine cannot keep up. */
  arrived: number;
}

async function openSender(opened: AsyncDisposableStack, program: URL): Promise<Sender> {
  const child = opened.use(await startChild(program));
  return { child, address: await child.call<Sender['address']>('open') };
}

async function run(
  { child, address }: Sender,
  viewers: Child,
  count: number,
  megabits: number,
): Promise<Figures> {
  await viewers.call('open', { ...address, count });
  const packetBytes = Math.round((megabits * 1e6) / 8 / PER_SECOND);
  await child.call('start', { packetBytes, perSecond: PER_SECOND } satisfies SourceOptions);
  await delay(WARM_UP_MS);
  const before = await child.spent();
  const seen = await viewers.call<Seen>('watch', { seconds: SECONDS });
  const after = await child.spent();
  await child.call('stop');
  await viewers.call('close');
  if (seen.packets === 0) throw new Error('no packet arrived');
  const cpu = (after.cpuMicros - before.cpuMicros) / 1000 / SECONDS / count;
  return { p50: seen.p50, p99: seen.p99, cpu, arrived: seen.packets / (count * PER_SECOND * SECONDS) };
}

/** The best value of each figure. Any disturbance of the machine makes a figure larger. */
const best = (rounds: Figures[]): Figures => ({
  p50: Math.min(...rounds.map(({ p50 }) => p50)),
  p99: Math.min(...rounds.map(({ p99 }) => p99)),
  cpu: Math.min(...rounds.map(({ cpu }) => cpu)),
  arrived: Math.max(...rounds.map(({ arrived }) => arrived)),
});

async function measure(opened: AsyncDisposableStack): Promise<void> {
  const viewers = opened.use(await startChild(new URL('./kit/viewers-child.ts', import.meta.url)));
  const pipe = await openSender(opened, new URL('./kit/pipe-child.ts', import.meta.url));
  const relay = await openSender(opened, new URL('./kit/relay-child.ts', import.meta.url));
  printTitle(`The stream gateway and a bare TCP pipe, ${PER_SECOND} packets/s`);
  const results: { name: string; piped: Figures; relayed: Figures }[] = [];
  for (const { viewers: count, megabits } of CASES) {
    const [piped, relayed]: [Figures[], Figures[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      piped.push(await run(pipe, viewers, count, megabits));
      relayed.push(await run(relay, viewers, count, megabits));
    }
    const name = `${count} ${count === 1 ? 'viewer' : 'viewers'}, ${megabits} Mbit/s`;
    results.push({ name, piped: best(piped), relayed: best(relayed) });
  }
  print(results);
}

function print(results: { name: string; piped: Figures; relayed: Figures }[]): void {
  printTable(
    ['', 'pipe p50', 'p99', 'gateway p50', 'p99', 'added p50', 'p99', 'CPU/viewer', 'ratio', 'arrived'],
    results.map(({ name, piped, relayed }) => [
      name,
      ...[piped.p50, piped.p99, relayed.p50, relayed.p99].map((ms) => show(ms, 'ms')),
      ...[relayed.p50 - piped.p50, relayed.p99 - piped.p99].map((ms) => show(ms, 'ms')),
      show(relayed.cpu, 'ms/s'),
      show(relayed.cpu / piped.cpu),
      `${show(piped.arrived)} and ${show(relayed.arrived)}`,
    ]),
  );
  printVerdict(
    'less than 1 ms added at p99',
    results.every(({ piped, relayed }) => relayed.p99 - piped.p99 < 1),
  );
  printVerdict(
    'at most 1.4 times the CPU per viewer',
    results.every(({ piped, relayed }) => relayed.cpu / piped.cpu <= 1.4),
  );
}

await section(DEADLINE_MS, measure);
