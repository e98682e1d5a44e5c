/**
 * Measures the path between an adb server and the viewers of its phones: the driver, the lease and the stream gateway
 * in one process, compared with a process that writes the same adb sockets to plain TCP connections. The adb server
 * is real. The phones are test doubles whose frames carry the time at which they were made.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AdbServerProcess } from '../test/fixtures/phone-double/adb-server.ts';
import { type PhoneHandle, Phones } from '../test/fixtures/phone-double/phones.ts';
import { type Child, startChild } from './kit/child.ts';
import { printTable, printTitle, printVerdict, QUICK, show } from './kit/report.ts';
import { section } from './kit/section.ts';
import type { Seen } from './kit/viewers-child.ts';

const MEGABITS = 8;
const PER_SECOND = 30;
const PACKET_BYTES = Math.round((MEGABITS * 1e6) / 8 / PER_SECOND);
const ROUNDS = QUICK ? 1 : 5;
const SECONDS = QUICK ? 2 : 5;
const WARM_UP_MS = QUICK ? 1_000 : 2_000;
const START_DEADLINE_MS = 150_000;
const DEADLINE_MS = 900_000;
/** Has the size of the real scrcpy server file. No phone runs it. */
const SERVER_FILE = Buffer.alloc(90_164, 'scrcpy');
const CASES = [
  { name: '1 phone, 1 viewer', phones: 1, viewersEach: 1 },
  { name: '1 phone, 20 viewers', phones: 1, viewersEach: 20 },
  { name: '20 phones, 1 viewer each', phones: 20, viewersEach: 1 },
];
const MAX_PHONES = Math.max(...CASES.map(({ phones }) => phones));

type Case = (typeof CASES)[number];

/**
 * The process that carries the frames from the adb server to the viewers' connections. `start` returns the
 * addresses of the streams, and `flow` starts the frames.
 */
interface Carrier {
  child: Child;
  start(phones: number): Promise<{ port: number; path?: string }[]>;
  flow(): Promise<void>;
}

interface Figures {
  /** Latency from the phone to the viewer, in milliseconds. */
  p50: number;
  p99: number;
  /** CPU time of the carrier per megabit that reached a viewer, in milliseconds. */
  cpu: number;
  /** Share of the frames that arrived during the measurement. */
  arrived: number;
}

async function openShelf(opened: AsyncDisposableStack): Promise<{ adbPort: number; serials: string[] }> {
  const doubles = opened.use(Phones.start());
  const server = opened.use(await AdbServerProcess.start());
  const phones: PhoneHandle[] = [];
  for (let n = 0; n < MAX_PHONES; n++) {
    const video = { packetBytes: PACKET_BYTES, perSecond: PER_SECOND };
    const phone = await doubles.add({ serial: `BENCH${n}`, model: `Bench ${n}`, video });
    await server.adb('connect', phone.address);
    phones.push(phone);
  }
  return { adbPort: server.port, serials: phones.map(({ address }) => address) };
}

async function openCarriers(opened: AsyncDisposableStack): Promise<{ pipe: Carrier; ours: Carrier }> {
  const folder = await mkdtemp(join(tmpdir(), 'phonebooth-bench-android-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'scrcpy-server'), SERVER_FILE);
  const { adbPort, serials } = await openShelf(opened);
  const spawn = async (program: URL) => {
    const child = opened.use(await startChild(program));
    await child.call('open', { adbPort, folder });
    return child;
  };
  const pipe = await spawn(new URL('./kit/adb-pipe-child.ts', import.meta.url));
  const ours = await spawn(new URL('./kit/android-child.ts', import.meta.url));
  return {
    pipe: {
      child: pipe,
      start: (phones) => pipe.call('start', { serials: serials.slice(0, phones) }, START_DEADLINE_MS),
      flow: () => pipe.call('flow'),
    },
    ours: {
      child: ours,
      start: (phones) => ours.call('start', { count: phones }, START_DEADLINE_MS),
      flow: async () => {},
    },
  };
}

async function run(carrier: Carrier, viewers: Child, { phones, viewersEach }: Case): Promise<Figures> {
  for (const address of await carrier.start(phones)) {
    await viewers.call('open', { ...address, count: viewersEach });
  }
  await carrier.flow();
  await delay(WARM_UP_MS);
  const before = await carrier.child.spent();
  const seen = await viewers.call<Seen>('watch', { seconds: SECONDS });
  const after = await carrier.child.spent();
  await viewers.call('close');
  await carrier.child.call('stop');
  if (seen.packets === 0) throw new Error('no picture arrived at the viewers');
  const megabits = (seen.packets * PACKET_BYTES * 8) / 1e6;
  return {
    p50: seen.p50,
    p99: seen.p99,
    cpu: (after.cpuMicros - before.cpuMicros) / 1000 / megabits,
    arrived: seen.packets / (phones * viewersEach * PER_SECOND * SECONDS),
  };
}

/** The best value of each figure. Any disturbance of the machine makes a figure worse. */
const best = (rounds: Figures[]): Figures => ({
  p50: Math.min(...rounds.map(({ p50 }) => p50)),
  p99: Math.min(...rounds.map(({ p99 }) => p99)),
  cpu: Math.min(...rounds.map(({ cpu }) => cpu)),
  arrived: Math.max(...rounds.map(({ arrived }) => arrived)),
});

interface Result {
  name: string;
  piped: Figures;
  served: Figures;
}

async function measure(opened: AsyncDisposableStack): Promise<void> {
  printTitle(`Android phones through an adb server, ${MEGABITS} Mbit/s each, and the same over a bare pipe`);
  const { pipe, ours } = await openCarriers(opened);
  const viewers = opened.use(await startChild(new URL('./kit/viewers-child.ts', import.meta.url)));
  const results: Result[] = [];
  for (const each of CASES) {
    const [piped, served]: [Figures[], Figures[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      piped.push(await run(pipe, viewers, each));
      served.push(await run(ours, viewers, each));
    }
    results.push({ name: each.name, piped: best(piped), served: best(served) });
  }
  print(results);
}

function print(results: Result[]): void {
  printTable(
    [
      '',
      'pipe p50',
      'p99',
      'Phonebooth p50',
      'p99',
      'added p50',
      'p99',
      'pipe CPU/Mbit',
      'ours',
      'ratio',
      'arrived',
    ],
    results.map(({ name, piped, served }) => [
      name,
      ...[piped.p50, piped.p99, served.p50, served.p99].map((ms) => show(ms, 'ms')),
      ...[served.p50 - piped.p50, served.p99 - piped.p99].map((ms) => show(ms, 'ms')),
      ...[piped.cpu, served.cpu].map((ms) => show(ms, 'ms')),
      show(served.cpu / piped.cpu),
      `${show(piped.arrived)} and ${show(served.arrived)}`,
    ]),
  );
  printVerdict(
    'less than 1 ms added at p99',
    results.every(({ piped, served }) => served.p99 - piped.p99 < 1),
  );
  printVerdict(
    'less than 1.5 times the CPU for each megabit',
    results.every(({ piped, served }) => served.cpu / piped.cpu < 1.5),
  );
}

await section(DEADLINE_MS, measure);
