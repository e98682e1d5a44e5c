import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { diagnose } from '../../src/drivers/android/diagnose.ts';
import { makeApk } from '../fixtures/apk.ts';
import type { PhoneHandle } from '../fixtures/phone-double/phones.ts';
import { AndroidRig, Borrowed, eventually } from './android-rig.ts';

let rig: AndroidRig;

beforeAll(async () => {
  rig = await AndroidRig.start();
});
afterAll(() => rig[Symbol.asyncDispose]());

const problem = (model: string) => rig.seen.find((phone) => phone.description.model === model)?.problem;

async function refusing(serial: string, model: string, brand: string, sdk: number): Promise<PhoneHandle> {
  const double = await rig.phones.add({ serial, model, brand, sdk });
  await double.faults({ noSecuritySettings: true });
  await rig.connect(double);
  return double;
}

describe('a phone whose shell cannot inject input or write settings', () => {
  test.each([
    ['Redmi', 34, ': turn on "USB debugging (Security settings)" in'],
    ['OnePlus', 29, ': turn on "Disable permission monitoring" in'],
    ['vivo', 34, ': turn on "USB simulated click" or'],
    ['Acme', 34, 'such as "USB debugging (Security settings)" or'],
  ])('%s: is not available, and its problem names the required option', async (brand, sdk, says) => {
    const model = `Refusing ${brand}`;
    const double = await refusing(`REFUSE${brand}`, model, brand, sdk);
    const named = await eventually('the problem to be reported', () => {
      const words = problem(model);
      return words?.startsWith('the phone refuses') && words;
    });
    expect(named).toContain('the phone refuses input and changes of settings over adb: ');
    expect(named).toContain(says);
    await double.faults({ noSecuritySettings: false });
    await rig.usable(model);
    await rig.server.adb('disconnect', double.address);
  });

  test('is explained by doctor', async () => {
    const double = await refusing('REFUSEDOC', 'Redmi Doc', 'Redmi', 34);
    // Right after `adb connect` a phone may still be listed as unauthorized.
    await rig.server.adb('-s', double.address, 'wait-for-device');
    const checks = await diagnose({
      address: { host: '127.0.0.1', port: rig.server.port },
      mayStart: false,
      path: process.env.PATH ?? '',
      dataDir: rig.folder,
      scrcpyServer: `${rig.folder}/scrcpy-server`,
    });
    expect(checks).toContainEqual({
      ok: false,
      message: expect.stringMatching(/^127.*turn on "USB debugging \(Security settings\)"/),
    });
    await rig.server.adb('disconnect', double.address);
  });

  test('fails taps with the reason and is not clean if the option is turned off during a session', async () => {
    const double = await rig.plugIn({ serial: 'SWITCHED', model: 'Switched', brand: 'POCO' });
    const phone = await rig.usable('Switched');
    {
      await using borrowed = await Borrowed.open(phone);
      await borrowed.perform('tap', { x: 0.5, y: 0.5 });
      await double.faults({ noSecuritySettings: true });
      const refusal = await eventually('a tap to be rejected', async () => {
        const failure = await borrowed.perform('tap', { x: 0.5, y: 0.5 }).catch((error: Error) => error);
        return failure instanceof Error && failure;
      });
      expect(refusal.message).toContain('turn on "USB debugging (Security settings)"');
      expect(borrowed.lost).toBeNull();
    }
    await eventually('the problem to be reported', () =>
      problem('Switched')?.startsWith('the phone refuses input'),
    );
    await expect(phone.clean({ signal: AbortSignal.timeout(60_000) })).rejects.toThrow(
      'the phone rejected a change of the setting',
    );
    await double.faults({ noSecuritySettings: false });
    const again = await rig.usable('Switched');
    await again.clean({ signal: AbortSignal.timeout(60_000) });
    expect((await double.report()).settings['global stay_on_while_plugged_in']).toBe('0');
    await rig.server.adb('disconnect', double.address);
  });
});

describe('an install', () => {
  const app = async (packageName: string) => {
    const file = join(rig.folder, `${packageName}.apk`);
    await writeFile(file, makeApk({ packageName }));
    return { appId: 'app-1', packageName, label: 'X', version: '1', minSdk: null, icon: null, files: [file] };
  };

  test('skips verification during a session and restores it afterwards', async () => {
    const double = await rig.plugIn({ serial: 'VERIFY', model: 'Verify' });
    const phone = await rig.usable('Verify');
    const setting = async () => (await double.report()).settings['global verifier_verify_adb_installs'];
    await (await Borrowed.open(phone))[Symbol.asyncDispose]();
    expect(await setting()).toBe('0');
    await phone.clean({ signal: AbortSignal.timeout(60_000) });
    expect(await setting()).toBeUndefined();
  });

  test.each([
    ['INSTALL_FAILED_USER_RESTRICTED: Install canceled by user', 'turn on "Install via USB"'],
    ['INSTALL_FAILED_VERIFICATION_FAILURE', 'Turn off "Verify apps over USB"'],
  ])('rejected with %s explains what to do', async (installFailure, says) => {
    const model = `Refused ${installFailure.length}`;
    const double = await rig.plugIn({ serial: model.replace(' ', ''), model });
    await double.faults({ installFailure });
    const phone = await rig.usable(model);
    {
      await using borrowed = await Borrowed.open(phone);
      const signal = AbortSignal.timeout(60_000);
      const installing = borrowed.session.install(await app('org.acme.fresh'), {
        signal,
        onProgress: () => {},
      });
      const failure = await installing.catch((error: Error) => error.message);
      expect(failure).toMatch(new RegExp(`^${installFailure}\\. `));
      expect(failure).toContain(says);
    }
    await phone.clean({ signal: AbortSignal.timeout(60_000) });
  });

  test.each([
    [33, false],
    [34, true],
  ])('accepts an app for an old Android version on API level %i', async (sdk, bypassed) => {
    const double = await rig.plugIn({ serial: `SDK${sdk}`, model: `SDK ${sdk}`, sdk });
    const phone = await rig.usable(`SDK ${sdk}`);
    {
      await using borrowed = await Borrowed.open(phone);
      const signal = AbortSignal.timeout(60_000);
      await borrowed.session.install(await app('org.acme.old'), { signal, onProgress: () => {} });
      const { events, packages } = await double.report();
      expect(packages).toContain('org.acme.old');
      const creates = events.filter(
        (event) => event.type === 'command' && event.line.includes('install-create'),
      );
      expect(creates).toEqual([expect.objectContaining({ line: expect.stringContaining('--user 0') })]);
      expect(JSON.stringify(creates).includes('--bypass-low-target-sdk-block')).toBe(bypassed);
    }
    await phone.clean({ signal: AbortSignal.timeout(60_000) });
  });
});

test.each(['refused', 'fatal'] as const)(
  'a clipboard that is %s does not make a phone unavailable',
  async (clipboard) => {
    const warnings: string[] = [];
    const log = {
      debug() {},
      info() {},
      error() {},
      warn: (_: object, message: string) => warnings.push(message),
    };
    await using own = await AndroidRig.start({ log });
    const double = await own.plugIn({ serial: 'CLIP', model: 'Clip' });
    const phone = await own.usable('Clip');
    await (await Borrowed.open(phone))[Symbol.asyncDispose]();
    await double.faults({ clipboard });
    await phone.clean({ signal: AbortSignal.timeout(60_000) });
    expect(warnings).toEqual(['clipboard of a phone could not be cleared']);
    await (await Borrowed.open(phone))[Symbol.asyncDispose]();
    await phone.clean({ signal: AbortSignal.timeout(60_000) });
  },
);
