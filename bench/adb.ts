/**
 * Measures what Phonebooth adds between a developer's adb and a phone: `adb push` and `adb pull` through `phonebooth
 * adb`, the service and the developer's own adb server, compared with the same commands sent directly to the adb
 * server that the phone is plugged into.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AdbRig } from '../test/e2e/adb-rig.ts';
import { printTable, printTitle, printVerdict, QUICK, show } from './kit/report.ts';
import { section } from './kit/section.ts';

const MIB = 1024 * 1024;
const BYTES = (QUICK ? 4 : 32) * MIB;
const ROUNDS = QUICK ? 1 : 5;
const DEADLINE_MS = 300_000;
const REMOTE = '/data/local/tmp/bench';
/** Minimum share of the direct speed that the service should reach. */
const AIM = 0.25;

type Run = (...args: string[]) => Promise<unknown>;

/** Speed of one run, in MiB per second. */
async function speedOf(run: Run, args: string[]): Promise<number> {
  const since = performance.now();
  await run(...args);
  return BYTES / MIB / ((performance.now() - since) / 1000);
}

await section(DEADLINE_MS, async (opened) => {
  const folder = await mkdtemp(join(tmpdir(), 'phonebooth-bench-adb-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const [file, back] = [join(folder, 'file'), join(folder, 'back')];
  await writeFile(file, randomBytes(BYTES));
  const rig = opened.use(await AdbRig.start());
  const session = await rig.borrow();
  const tunnel = opened.use(await rig.connect(session));
  const straight: Run = (...args) => rig.host.adb('-s', rig.phone.address, ...args);
  const through: Run = (...args) => rig.adb('-s', tunnel.address, ...args);
  const words = { push: ['push', file, REMOTE], pull: ['pull', REMOTE, back] };
  const best = { push: { straight: 0, through: 0 }, pull: { straight: 0, through: 0 } };
  for (let round = 0; round < ROUNDS; round++) {
    for (const what of ['push', 'pull'] as const) {
      best[what].straight = Math.max(best[what].straight, await speedOf(straight, words[what]));
      best[what].through = Math.max(best[what].through, await speedOf(through, words[what]));
    }
  }
  printTitle(`adb with ${BYTES / MIB} MiB, MiB/s, the best of ${ROUNDS}`);
  printTable(
    ['', 'straight', 'through the service', 'ratio'],
    Object.entries(best).map(([what, { straight: bare, through: ours }]) => [
      what,
      show(bare),
      show(ours),
      show(ours / bare),
    ]),
  );
  const worst = Math.min(...Object.values(best).map(({ straight: bare, through: ours }) => ours / bare));
  printVerdict(`at least ${AIM} of the speed without the service`, worst >= AIM);
});
