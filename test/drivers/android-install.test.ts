import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AppPackage, Phone } from '../../src/drivers/driver.ts';
import { makeApk } from '../fixtures/apk.ts';
import type { PhoneHandle } from '../fixtures/phone-double/phones.ts';
import { AndroidRig, Borrowed } from './android-rig.ts';

let rig: AndroidRig;
let double: PhoneHandle;
let phone: Phone;

beforeAll(async () => {
  rig = await AndroidRig.start();
  double = await rig.plugIn();
  phone = await rig.usable('Pixel 8');
});
afterAll(() => rig[Symbol.asyncDispose]());

async function app(packageName: string, contents: Record<string, Buffer>): Promise<AppPackage> {
  const files: string[] = [];
  for (const [name, content] of Object.entries(contents)) {
    const file = join(rig.folder, name);
    await writeFile(file, content);
    files.push(file);
  }
  return { appId: 'app-1', packageName, label: 'X', version: '1', minSdk: null, icon: null, files };
}

const install = async (borrowed: Borrowed, what: AppPackage) => {
  const percents: number[] = [];
  const onProgress = (percent: number) => percents.push(percent);
  await borrowed.session.install(what, { signal: AbortSignal.timeout(60_000), onProgress });
  return percents;
};

const clean = () => phone.clean({ signal: AbortSignal.timeout(60_000) });
const packages = async () => (await double.report()).packages;

test('installs an app with progress and uninstalls it after the session', async () => {
  const apk = makeApk({ packageName: 'org.acme.fresh' });
  {
    await using borrowed = await Borrowed.open(phone);
    const percents = await install(borrowed, await app('org.acme.fresh', { "it's.apk": apk }));
    expect(percents.at(-1)).toBe(100);
    expect(percents).toEqual(percents.toSorted((a, b) => a - b));
    expect(await packages()).toContain('org.acme.fresh');
    await borrowed.perform('app.launch', { package: 'org.acme.fresh' });
  }
  await clean();
  expect(await packages()).not.toContain('org.acme.fresh');
});

test('installs a base with its splits as one app', async () => {
  const apk = makeApk({ packageName: 'org.acme.split' });
  {
    await using borrowed = await Borrowed.open(phone);
    await install(borrowed, await app('org.acme.split', { 'base.apk': apk, 'split_config.en.apk': apk }));
    expect(await packages()).toContain('org.acme.split');
    await borrowed.perform('app.uninstall', { package: 'org.acme.split' });
    expect(await packages()).not.toContain('org.acme.split');
  }
  await clean();
});

test('keeps an app that was installed before', async () => {
  {
    await using borrowed = await Borrowed.open(phone);
    await install(
      borrowed,
      await app('org.acme.notes', { 'notes.apk': makeApk({ packageName: 'org.acme.notes' }) }),
    );
  }
  await clean();
  expect(await packages()).toContain('org.acme.notes');
});

test('returns the phone’s message for a file that is not an app', async () => {
  {
    await using borrowed = await Borrowed.open(phone);
    const broken = install(
      borrowed,
      await app('org.acme.broken', { 'broken.apk': Buffer.from('no APK at all') }),
    );
    await expect(broken).rejects.toMatchObject({
      name: 'DriverError',
      kind: 'failed',
      message: expect.stringMatching(/^INSTALL_PARSE_FAILED_NOT_APK: /),
    });
  }
  await clean();
});

test('cleans up after a host that died during the install', async () => {
  const borrowed = await Borrowed.open(phone);
  await install(
    borrowed,
    await app('org.acme.left', { 'left.apk': makeApk({ packageName: 'org.acme.left' }) }),
  );
  await borrowed.perform('clipboard.set', { text: 'a secret' });
  // Simulates kill -9: nothing was closed cleanly, and only the state on disk remains.
  await rig.driver[Symbol.asyncDispose]();
  await borrowed[Symbol.asyncDispose]();
  await rig.startDriver();
  phone = await rig.usable('Pixel 8');
  await clean();
  expect(await packages()).not.toContain('org.acme.left');
  expect(await double.report()).toMatchObject({ clipboard: '', awake: false });
});
