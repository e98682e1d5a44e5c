/**
 * Measures each step from a press in the console to the resulting frame, and the whole time for a program that
 * decodes nothing.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchChromium, openPage } from '../test/e2e/browser.ts';
import { ask, freeDevice, signIn } from './kit/first-frame.ts';
import { printTable, printTitle, printVerdict, QUICK, quantile, show } from './kit/report.ts';
import { section } from './kit/section.ts';
import { serve } from './kit/served.ts';
import { type SessionAddresses, TouchProgram } from './kit/touch-by-program.ts';
import { pressInPage, type TouchParts, watchTouches } from './kit/touch-in-page.ts';

const PRESSES = QUICK ? 5 : 30;
const ROUNDS = QUICK ? 1 : 3;
const AIM_MS = 80;
const FRAME_DEADLINE_MS = 60_000;
const DEADLINE_MS = 600_000;

const PARTS: readonly (readonly [part: keyof TouchParts, name: string])[] = [
  ['toSocket', 'the console: from the press to its control socket'],
  ['toPacket', 'the phone and the gateways: to the packet in the console'],
  ['toDecoded', 'the browser: decoded'],
  ['toDrawn', 'the console: drawn on the canvas'],
  ['toFrame', 'the browser: the display frame that contains it'],
  ['touchToFrame', 'from the socket to the canvas, as the statistics show it'],
  ['whole', 'from the press to the frame'],
];

interface Session extends SessionAddresses {
  session_id: string;
}

interface Round {
  load: number;
  program: number[];
  console: TouchParts[];
}

async function measure(opened: AsyncDisposableStack): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'phonebooth-bench-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const service = opened.use(await serve(folder, { PHONEBOOTH_SIMULATED_PHONES: '1' }));
  const browser = await launchChromium();
  opened.defer(() => browser.close());
  const { page } = await openPage(browser);
  await watchTouches(page);
  await signIn(page, service);
  const { id, name } = await freeDevice(service);
  const session = await ask<Session>(service, 'POST', `/devices/${id}/connect`);
  opened.defer(() => ask(service, 'POST', `/sessions/${session.session_id}/disconnect`));
  const ca = await readFile(service.caFile);
  await using paint = await TouchProgram.open(session, ca);
  // This app draws immediately where it is touched, and does nothing else.
  await paint.call('app.launch', { package: 'com.phonebooth.paint' });

  const rounds: Round[] = [];
  for (let n = 0; n < ROUNDS; n++) {
    const program = await byProgram(session, ca);
    await page.goto(`${service.origin}/sessions/${session.session_id}`);
    await page.getByLabel(`Screen of ${name}`).waitFor({ timeout: FRAME_DEADLINE_MS });
    await page.getByRole('button', { name: 'Home', disabled: false }).waitFor();
    await page.getByText('Waiting for the first frame…').waitFor({ state: 'hidden' });
    rounds.push({ load: loadavg()[0]!, program, console: await pressInPage(page, PRESSES) });
  }
  report(rounds);
}

/** The console takes control afterwards, which closes the control socket of this program. */
async function byProgram(session: SessionAddresses, ca: Buffer): Promise<number[]> {
  await using program = await TouchProgram.open(session, ca);
  // Uses await, because otherwise the program would be closed before the presses are done.
  return await program.press(PRESSES);
}

/** Reports the round with the best median. Any disturbance of the machine makes a round worse. */
function report(rounds: readonly Round[]): void {
  const of = (part: keyof TouchParts) => (round: Round) => round.console.map((press) => press[part]);
  const median = (values: number[]) => quantile(values, 0.5);
  const wholeOf = (round: Round) => median(of('touchToFrame')(round));
  const best = rounds.toSorted((one, other) => wholeOf(one) - wholeOf(other))[0]!;
  printTitle(
    `From touch to frame, ${PRESSES} presses, the best of ${ROUNDS} rounds (load ${show(best.load)})`,
  );
  const row = (name: string, values: number[]) => [
    name,
    show(median(values), 'ms'),
    show(quantile(values, 0.9), 'ms'),
    show(median(values) / AIM_MS),
  ];
  printTable(
    ['', 'p50', 'p90', `of ${AIM_MS} ms`],
    [
      row('a program: to the packet', best.program),
      ...PARTS.map(([part, name]) => row(name, of(part)(best))),
    ],
  );
  const all = rounds.map((round) => `${show(wholeOf(round), 'ms')} (load ${show(round.load)})`);
  console.log(`  medians of the rounds: ${all.join(', ')}`);
  printVerdict(`touch to frame within ${AIM_MS} ms at the median`, wholeOf(best) < AIM_MS);
}

await section(DEADLINE_MS, measure);
