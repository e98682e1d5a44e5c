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
import { Phones } from '../test/fixtures/phone-double/phones.ts';
import { type Child, startChild } from './kit/child.ts';
import type { Collections } from './kit/garbage.ts';
import { printTable, printTitle, printVerdict, QUICK, show } from './kit/report.ts';
import { section } from './kit/section.ts';
import type { Seen } from './kit/viewers-child.ts';

const ROUNDS = QUICK ? 1 : 5;
const SECONDS = QUICK ? 2 : 5;
const WARM_UP_MS = QUICK ? 1_000 : 2_000;
const START_DEADLINE_MS = 150_000;
const DEADLINE_MS = 900_000;
/** Has the size of the real scrcpy server file. No phone runs it. */
const SERVER_FILE = Buffer.alloc(90_164, 'scrcpy');
/** A phone's video: megabits and frames per second. */
interface Video {
  megabits: number;
  perSecond: number;
}

interface Case {
  name: string;
  phones: number;
  viewersEach: number;
  video: Video;
  /** Goal of the latency that is added at p99, in milliseconds. */
  addedAimMs: number;
}

const NORMAL: Video = { megabits: 8, perSecond: 30 };
/** The largest bit rate that scrcpy's users choose. Buffers at this rate must not drive the garbage collector. */
const LARGE: Video = { megabits: 32, perSecond: 60 };
const ALL_CASES: Case[] = [
  { name: '1 phone, 1 viewer', phones: 1, viewersEach: 1, video: NORMAL, addedAimMs: 1 },
  { name: '1 phone, 1 viewer, 32 Mbit/s', phones: 1, viewersEach: 1, video: LARGE, addedAimMs: 1 },
  { name: '1 phone, 20 viewers', phones: 1, viewersEach: 20, video: NORMAL, addedAimMs: 1 },
  { name: '20 phones, 1 viewer each', phones: 20, viewersEach: 1, video: NORMAL, addedAimMs: 2 },
];
/** `--only=<name>` runs the case with this name. */
const ONLY = process.argv.find((word) => word.startsWith('--only='))?.slice('--only='.length);
const CASES = ALL_CASES.filter(({ name }) => ONLY === undefined || name === ONLY);

const packetBytes = ({ megabits, perSecond }: Video) => Math.round((megabits * 1e6) / 8 / perSecond);
const phonesOf = (wanted: Video) =>
  Math.max(0, ...CASES.filter(({ video }) => video === wanted).map(({ phones }) => phones));

/** One test double of a phone. */
interface BenchPhone {
  model: string;
  serial: string;
  video: Video;
}

/**
 * The process that carries the frames from the adb server to the viewers' connections. `start` returns the
 * addresses of the streams, and `flow` starts the frames.
 */
interface Carrier {
  child: Child;
  start(phones: BenchPhone[]): Promise<{ port: number; path?: string }[]>;
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
  /** Mark-compacts per second in the carrier, and the longest pause of one in milliseconds. */
  majors: number;
  longestMajor: number;
}

async function openShelf(opened: AsyncDisposableStack): Promise<{ adbPort: number; shelf: BenchPhone[] }> {
  const doubles = opened.use(Phones.start());
  const server = opened.use(await AdbServerProcess.start());
  const shelf: BenchPhone[] = [];
  for (const video of [NORMAL, LARGE]) {
    for (let n = phonesOf(video); n > 0; n--) {
      const model = `Bench ${shelf.length}`;
      const pace = { packetBytes: packetBytes(video), perSecond: video.perSecond };
      const phone = await doubles.add({ serial: `BENCH${shelf.length}`, model, video: pace });
      await server.adb('connect', phone.address);
      shelf.push({ model, serial: phone.address, video });
    }
  }
  return { adbPort: server.port, shelf };
}

async function openCarriers(
  opened: AsyncDisposableStack,
): Promise<{ pipe: Carrier; ours: Carrier; shelf: BenchPhone[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'phonebooth-bench-android-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'scrcpy-server'), SERVER_FILE);
  const { adbPort, shelf } = await openShelf(opened);
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
      start: (phones) =>
        pipe.call('start', { serials: phones.map(({ serial }) => serial) }, START_DEADLINE_MS),
      flow: () => pipe.call('flow'),
    },
    ours: {
      child: ours,
      start: (phones) => ours.call('start', { models: phones.map(({ model }) => model) }, START_DEADLINE_MS),
      flow: async () => {},
    },
    shelf,
  };
}

async function run(
  carrier: Carrier,
  viewers: Child,
  phones: BenchPhone[],
  { viewersEach, video }: Case,
): Promise<Figures> {
  for (const address of await carrier.start(phones)) {
    await viewers.call('open', { ...address, count: viewersEach });
  }
  await carrier.flow();
  await delay(WARM_UP_MS);
  await carrier.child.call('takeCollections');
  const before = await carrier.child.spent();
  const seen = await viewers.call<Seen>('watch', { seconds: SECONDS });
  const after = await carrier.child.spent();
  const { major, longestMajor } = await carrier.child.call<Collections>('takeCollections');
  await viewers.call('close');
  await carrier.child.call('stop');
  if (seen.packets === 0) throw new Error('no frame arrived at the viewers');
  const megabits = (seen.packets * packetBytes(video) * 8) / 1e6;
  return {
    p50: seen.p50,
    p99: seen.p99,
    cpu: (after.cpuMicros - before.cpuMicros) / 1000 / megabits,
    arrived: seen.packets / (phones.length * viewersEach * video.perSecond * SECONDS),
    majors: major / SECONDS,
    longestMajor,
  };
}

/** The best value of each figure. Any disturbance of the machine makes a figure worse. */
const best = (rounds: Figures[]): Figures => ({
  p50: Math.min(...rounds.map(({ p50 }) => p50)),
  p99: Math.min(...rounds.map(({ p99 }) => p99)),
  cpu: Math.min(...rounds.map(({ cpu }) => cpu)),
  arrived: Math.max(...rounds.map(({ arrived }) => arrived)),
  // The load of the machine does not change how often memory is collected, so these are those of all rounds.
  majors: rounds.reduce((sum, { majors }) => sum + majors, 0) / rounds.length,
  longestMajor: Math.max(...rounds.map(({ longestMajor }) => longestMajor)),
});

interface Result {
  name: string;
  addedAimMs: number;
  piped: Figures;
  served: Figures;
}

async function measure(opened: AsyncDisposableStack): Promise<void> {
  printTitle(
    'Android phones through an adb server, 8 Mbit/s each if not stated, and the same over a bare pipe',
  );
  const { pipe, ours, shelf } = await openCarriers(opened);
  const viewers = opened.use(await startChild(new URL('./kit/viewers-child.ts', import.meta.url)));
  const results: Result[] = [];
  for (const each of CASES) {
    const phones = shelf.filter(({ video }) => video === each.video).slice(0, each.phones);
    const [piped, served]: [Figures[], Figures[]] = [[], []];
    for (let round = 0; round < ROUNDS; round++) {
      piped.push(await run(pipe, viewers, phones, each));
      served.push(await run(ours, viewers, phones, each));
    }
    const { name, addedAimMs } = each;
    results.push({ name, addedAimMs, piped: best(piped), served: best(served) });
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
  printTable(
    ['', 'pipe mark-compacts', 'longest pause', 'Phonebooth mark-compacts', 'longest pause'],
    results.map(({ name, piped, served }) => [
      name,
      ...[piped, served].flatMap(({ majors, longestMajor }) => [
        show(majors, '/s'),
        show(longestMajor, 'ms'),
      ]),
    ]),
  );
  printVerdict(
    'less than 1 ms added at p99 with one phone, less than 2 ms with 20 phones',
    results.every(({ addedAimMs, piped, served }) => served.p99 - piped.p99 < addedAimMs),
  );
  printVerdict(
    'at most one mark-compact in two seconds',
    results.every(({ served }) => served.majors <= 0.5),
  );
  printVerdict(
    'at most 1.7 times the CPU for each megabit',
    results.every(({ piped, served }) => served.cpu / piped.cpu <= 1.7),
  );
}

await section(DEADLINE_MS, measure);
