import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AppPackage, Phone } from '../../src/drivers/driver.ts';
import { makeApk } from '../fixtures/apk.ts';
import type { PhoneHandle } from '../fixtures/phone-double/phones.ts';
import { AndroidRig, Borrowed } from './android-rig.ts';

let rig: AndroidRig;
let double: PhoneHandle;
let phone: Phone;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'android-app-files-'));
  rig = await AndroidRig.start();
  double = await rig.plugIn();
  phone = await rig.usable('Pixel 8');
});
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

async function app(packageName: string, contents: Record<string, Buffer>): Promise<AppPackage> {
  for (const [name, content] of Object.entries(contents)) await writeFile(join(folder, name), content);
  const files = Object.keys(contents).map((name) => join(folder, name));
  return { appId: 'app-1', packageName, label: 'X', version: '1', minSdk: null, icon: null, files };
}

async function install(what: AppPackage, look: () => Promise<void> = async () => {}): Promise<number[]> {
  await using borrowed = await Borrowed.open(phone);
  const percents: number[] = [];
  const onProgress = (percent: number) => percents.push(percent);
  await borrowed.session.install(what, { signal: AbortSignal.timeout(60_000), onProgress });
  await look();
  return percents;
}

const clean = () => phone.clean({ signal: AbortSignal.timeout(60_000) });
const files = async () => (await double.report()).files.filter((path) => path.startsWith('/sdcard'));

/** Names of the files that were streamed into the package manager. */
async function written(): Promise<string[]> {
  const { events } = await double.report();
  return events.flatMap((event) =>
    event.type === 'command' ? (/install-write -S \d+ \d+ (\S+) -$/.exec(event.line)?.[1] ?? []) : [],
  );
}

test('installs the base, the features and the matching splits', async () => {
  const apk = makeApk({ packageName: 'org.acme.split' });
  const names = [
    '0.apk',
    ...['1.config.arm64_v8a.apk', '2.config.x86_64.apk', '3.config.xxhdpi.apk', '4.config.mdpi.apk'],
    ...['5.config.en.apk', '6.config.fr.apk', '7.maps.apk', '8.maps.config.x86_64.apk'],
  ];
  await install(await app('org.acme.split', Object.fromEntries(names.map((name) => [name, apk]))));
  expect(await written()).toEqual(
    ['0.apk', '1.config.arm64_v8a.apk', '3.config.xxhdpi.apk', '5.config.en.apk', '7.maps.apk'].map(
      (name, index) => `${index}_${name}`,
    ),
  );
  await clean();
});

test('rejects an app for another processor before anything is copied', async () => {
  const apk = makeApk({ packageName: 'org.acme.intel' });
  const before = await written();
  const installing = install(await app('org.acme.intel', { '0.apk': apk, '1.config.x86_64.apk': apk }));
  await expect(installing).rejects.toMatchObject({
    name: 'DriverError',
    message:
      'the app contains code for x86_64, but not for this phone (arm64_v8a, armeabi_v7a, armeabi); upload a ' +
      'build that does',
  });
  expect(await written()).toEqual(before);
  await clean();
});

const OBB = '/sdcard/Android/obb/org.acme.game/main.3.org.acme.game.obb';

test('keeps the expansion files of a game for the duration of the session', async () => {
  const levels = Buffer.alloc(3_000_000, 'levels');
  const game = await app('org.acme.game', {
    '0.apk': makeApk({ packageName: 'org.acme.game' }),
    'main.3.org.acme.game.obb': levels,
  });
  const percents = await install(game, async () => expect(await files()).toEqual([OBB]));
  expect(percents.at(-1)).toBe(100);
  // The expansion file is most of the data, and its progress is reported during the transfer
  expect(percents.filter((percent) => percent > 5 && percent < 90).length).toBeGreaterThan(10);
  await clean();
  expect(await files()).toEqual([]);
  expect((await double.report()).packages).not.toContain('org.acme.game');
});

test('restores the expansion files of an app that was installed before', async () => {
  const own = '/sdcard/Android/obb/org.acme.notes/main.1.org.acme.notes.obb';
  const contents = {
    '0.apk': makeApk({ packageName: 'org.acme.notes' }),
    'main.1.org.acme.notes.obb': Buffer.from('notes'),
  };
  const notes = await app('org.acme.notes', contents);
  await install(notes, async () => expect(await files()).toEqual([own]));
  await clean();
  expect(await files()).toEqual([]);
  // Pushes the file as an operator would
  await rig.server.adb('-s', double.address, 'push', notes.files[1]!, own);
  await install(notes);
  await clean();
  expect(await files()).toEqual([own]);
  expect((await double.report()).packages).toContain('org.acme.notes');
});
