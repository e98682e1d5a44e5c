/**
 * Measures what recording costs a host: the CPU time and the disk space of a process that serves twenty Android phones
 * at 8 Mbit/s with one viewer each, with and without a recording of every session. The CPU time of the end of the
 * sessions, until their artifacts are ready for the upload, is reported separately. The adb server is real. The phones
 * are test doubles.
 */
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AdbServerProcess } from '../test/fixtures/phone-double/adb-server.ts';
import { Phones } from '../test/fixtures/phone-double/phones.ts';
import { type Child, startChild } from './kit/child.ts';
import { printTable, printTitle, printVerdict, QUICK, show } from './kit/report.ts';
import { section } from './kit/section.ts';
import type { Seen } from './kit/viewers-child.ts';

const PHONES = QUICK ? 4 : 20;
const ROUNDS = QUICK ? 1 : 6;
const SECONDS = QUICK ? 2 : 10;
const WARM_UP_MS = QUICK ? 1_000 : 3_000;
const PER_SECOND = 30;
const PACKET_BYTES = Math.round(8e6 / 8 / PER_SECOND);
const START_DEADLINE_MS = 150_000;
const STOP_DEADLINE_MS = 120_000;
const DEADLINE_MS = 900_000;
/** Has the size of the real scrcpy server file. No phone runs it. */
const SERVER_FILE = Buffer.alloc(90_164, 'scrcpy');
const MEBIBYTE = 1024 * 1024;

interface Figures {
  /** CPU time of the host per minute while it serves the phones, in seconds. */
  cpu: number;
  /** CPU time of the host for the end of all sessions per minute of their length, in seconds. */
  end: number;
  /** Bytes written per minute. */
  disk: number;
  /** Share of the frames that reached the viewers. */
  arrived: number;
  p99: number;
}

interface Rig {
  host: Child;
  viewers: Child;
  models: string[];
  folder: string;
}

async function openRig(opened: AsyncDisposableStack): Promise<Rig> {
  const folder = await mkdtemp(join(tmpdir(), 'phonebooth-bench-recording-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, 'scrcpy-server'), SERVER_FILE);
  const doubles = opened.use(Phones.start());
  const server = opened.use(await AdbServerProcess.start());
  const models = Array.from({ length: PHONES }, (_, n) => `Bench ${n}`);
  const video = { packetBytes: PACKET_BYTES, perSecond: PER_SECOND };
  for (const [n, model] of models.entries()) {
    const phone = await doubles.add({ serial: `BENCH${n}`, model, video });
    await server.adb('connect', phone.address);
  }
  const host = opened.use(await startChild(new URL('./kit/android-child.ts', import.meta.url)));
  await host.call('open', { adbPort: server.port, folder });
  const viewers = opened.use(await startChild(new URL('./kit/viewers-child.ts', import.meta.url)));
  return { host, viewers, models, folder };
}

async function run({ host, viewers, models, folder }: Rig, isRecorded: boolean): Promise<Figures> {
  const recordingsIn = join(folder, 'recordings');
  await mkdir(recordingsIn, { recursive: true });
  const options = { models, ...(isRecorded && { recordingsIn }) };
  const startedAt = performance.now();
  const addresses = await host.call<{ port: number; path: string }[]>('start', options, START_DEADLINE_MS);
  for (const address of addresses) await viewers.call('open', { ...address, count: 1 });
  await delay(WARM_UP_MS);
  const before = { ...(await host.spent()), bytes: await sizeOf(recordingsIn) };
  const seen = await viewers.call<Seen>('watch', { seconds: SECONDS });
  const after = { ...(await host.spent()), bytes: await sizeOf(recordingsIn) };
  await viewers.call('close');
  const minutes = (performance.now() - startedAt) / 60_000;
  const { cpuMicros } = await host.spent();
  await host.call('stop', undefined, STOP_DEADLINE_MS);
  const end = ((await host.spent()).cpuMicros - cpuMicros) / 1e6 / minutes;
  await rm(recordingsIn, { recursive: true });
  return {
    cpu: ((after.cpuMicros - before.cpuMicros) / 1e6 / SECONDS) * 60,
    end,
    disk: ((after.bytes - before.bytes) / SECONDS) * 60,
    arrived: seen.packets / (models.length * PER_SECOND * SECONDS),
    p99: seen.p99,
  };
}

async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** The best value of each figure. Any disturbance of the machine makes a figure worse. */
const best = (rounds: Figures[]): Figures => ({
  cpu: Math.min(...rounds.map(({ cpu }) => cpu)),
  end: Math.min(...rounds.map(({ end }) => end)),
  disk: Math.max(...rounds.map(({ disk }) => disk)),
  arrived: Math.max(...rounds.map(({ arrived }) => arrived)),
  p99: Math.min(...rounds.map(({ p99 }) => p99)),
});

async function measure(opened: AsyncDisposableStack): Promise<void> {
  printTitle(`${PHONES} Android phones at 8 Mbit/s with one viewer each, with and without recordings`);
  const rig = await openRig(opened);
  const rounds: { plain: Figures; recorded: Figures }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const plain = await run(rig, false);
    rounds.push({ plain, recorded: await run(rig, true) });
  }
  const plain = best(rounds.map((round) => round.plain));
  const recorded = best(rounds.map((round) => round.recorded));
  printTable(
    ['', 'CPU/minute', 'at the end/minute', 'disk/minute', 'latency p99', 'arrived'],
    Object.entries({ 'not recorded': plain, recorded }).map(([name, { cpu, end, disk, p99, arrived }]) => [
      name,
      show(cpu, 's'),
      show(end, 's'),
      show(disk / MEBIBYTE, 'MiB'),
      show(p99, 'ms'),
      show(arrived),
    ]),
  );
  const more = (recorded.cpu - plain.cpu) / plain.cpu;
  printVerdict(`less than 10 % more CPU time (${show(more * 100, '%')})`, more < 0.1);
}

await section(DEADLINE_MS, measure);
