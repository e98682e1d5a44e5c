/**
 * Measures the time from starting the service until it is ready and a phone can be borrowed, compared with starting
 * Node for an empty program; and the time from connecting to an available phone to its first frame, for a program and in the console.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchChromium, openPage } from '../test/e2e/browser.ts';
import { firstFrame, firstFrameInPage, type Steps, signIn } from './kit/first-frame.ts';
import { printTable, printTitle, printVerdict, QUICK, quantile, show } from './kit/report.ts';
import { section } from './kit/section.ts';
import { type Served, serve, timeToRun } from './kit/served.ts';

const STARTS = QUICK ? 1 : 5;
const CONNECTS = QUICK ? 3 : 10;
const AVAILABLE_AIM_MS = 1_200;
const FIRST_FRAME_AIM_MS = 300;
const DEADLINE_MS = 900_000;

type Start = Pick<Served, 'readyMs' | 'availableMs'>;

const median = (values: number[]) => quantile(values, 0.5);

async function newFolder(opened: AsyncDisposableStack): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'phonebooth-bench-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function startOnce(folder: string): Promise<Start> {
  await using service = await serve(folder);
  return service;
}

async function measureStarts(opened: AsyncDisposableStack): Promise<void> {
  const bare: number[] = [];
  const [first, second]: Start[][] = [[], []];
  for (let round = 0; round < STARTS; round++) {
    const folder = await newFolder(opened);
    bare.push(await timeToRun(['-e', '0']));
    first!.push(await startOnce(folder));
    second!.push(await startOnce(folder));
  }
  const bareMs = median(bare);
  printTitle(`From start to ready, 4 simulated phones, median of ${STARTS}`);
  const row = (name: string, ms: number) => [name, show(ms, 'ms'), show(ms / bareMs)];
  const ready = (starts: Start[]) => median(starts.map(({ readyMs }) => readyMs));
  const available = (starts: Start[]) => median(starts.map(({ availableMs }) => availableMs));
  printTable(
    ['', 'time', 'ratio'],
    [
      row('node -e 0', bareMs),
      row('first start: nothing compiled, no certificate, no database', ready(first!)),
      row('first start, a phone can be borrowed', available(first!)),
      row('second start', ready(second!)),
      row('second start, a phone can be borrowed', available(second!)),
    ],
  );
  printVerdict(
    `second start: a phone can be borrowed within ${AVAILABLE_AIM_MS} ms`,
    available(second!) < AVAILABLE_AIM_MS,
  );
}

async function measureFirstFrames(opened: AsyncDisposableStack): Promise<void> {
  const service = opened.use(await serve(await newFolder(opened), { PHONEBOOTH_SIMULATED_PHONES: '1' }));
  const steps: Steps[] = [];
  for (let n = 0; n <= CONNECTS; n++) steps.push(await firstFrame(service));
  const [first, ...rest] = steps;
  const of = (name: keyof Steps) => median(rest.map((one) => one[name]));

  const seen = await firstFramesInConsole(service, opened);

  printTitle(`From connect to the first frame, median of ${CONNECTS}, the very first listed separately`);
  const row = (name: string, value: number, once: number) => [
    name,
    show(value, 'ms'),
    show(value / FIRST_FRAME_AIM_MS),
    show(once, 'ms'),
  ];
  printTable(
    ['', 'time', `of ${FIRST_FRAME_AIM_MS} ms`, 'the first'],
    [
      row('a program: the phone is connected', of('connected'), first!.connected),
      row('a program: the stream is open', of('opened'), first!.opened),
      row('a program: the first keyframe has arrived', of('frame'), first!.frame),
      ...(seen ? [row('the console: from the click to pixels', median(seen.slice(1)), seen[0]!)] : []),
    ],
  );
  printVerdict(`the first keyframe within ${FIRST_FRAME_AIM_MS} ms`, of('frame') < FIRST_FRAME_AIM_MS);
  if (!seen) return;
  printVerdict(
    `pixels in the console within ${FIRST_FRAME_AIM_MS} ms`,
    median(seen.slice(1)) < FIRST_FRAME_AIM_MS,
  );
}

/** Returns null and prints the reason if Chromium is not installed. */
async function firstFramesInConsole(service: Served, opened: AsyncDisposableStack): Promise<number[] | null> {
  const browser = await launchChromium().catch((error: Error) => error);
  if (browser instanceof Error) {
    console.log(`The console is not measured. ${browser.message}`);
    return null;
  }
  opened.defer(() => browser.close());
  const { page } = await openPage(browser);
  await signIn(page, service);
  const seen: number[] = [];
  for (let n = 0; n <= CONNECTS; n++) seen.push(await firstFrameInPage(page, service));
  return seen;
}

await section(DEADLINE_MS, measureStarts);
await section(DEADLINE_MS, measureFirstFrames);
