import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Phone } from '../../src/drivers/driver.ts';
import { makeApk } from '../fixtures/apk.ts';
import type { PhoneHandle } from '../fixtures/phone-double/phones.ts';
import { AndroidRig, Borrowed, eventually } from './android-rig.ts';

/** State that could not be read must not be overwritten, and must not cause anything to be removed. */

let rig: AndroidRig;
let double: PhoneHandle;
let phone: Phone;

beforeAll(async () => {
  rig = await AndroidRig.start();
  double = await rig.plugIn();
  phone = await rig.usable('Pixel 8');
});
afterAll(() => rig[Symbol.asyncDispose]());
afterEach(async () => {
  await double.faults({
    settingsAway: false,
    failingSetting: null,
    packageList: 'whole',
    lockedProfile: false,
  });
  await clean();
});

const clean = () => phone.clean({ signal: AbortSignal.timeout(60_000) });
const journalFile = () => join(rig.folder, 'android', `${phone.description.id}.json`);
const commands = async (word: string) =>
  (await double.report()).events.filter((event) => event.type === 'command' && event.line.includes(word))
    .length;

async function install(borrowed: Borrowed, packageName: string): Promise<void> {
  const file = join(rig.folder, `${packageName}.apk`);
  await writeFile(file, makeApk({ packageName }));
  const about = { appId: 'app-1', packageName, label: 'X', version: '1', minSdk: null, icon: null };
  const signal = AbortSignal.timeout(60_000);
  await borrowed.session.install({ ...about, files: [file] }, { signal, onProgress: () => {} });
}

describe('settings', () => {
  test('waits for a settings service that is unavailable at the start, and writes none of its errors', async () => {
    const before = (await double.report()).settings;
    await double.faults({ settingsAway: true });
    const asked = await commands('settings get');
    const opening = Borrowed.open(phone);
    await eventually('two attempts', async () => (await commands('settings get')) >= asked + 2);
    await double.faults({ settingsAway: false });
    await (await opening)[Symbol.asyncDispose]();
    await clean();
    expect((await double.report()).settings).toEqual(before);
  });

  test('fails to start a session and leaves the phone unchanged if the settings service stays unavailable', async () => {
    const before = (await double.report()).settings;
    await double.faults({ settingsAway: true });
    await expect(Borrowed.open(phone)).rejects.toThrow(
      "the phone's settings could not be read: cmd: Can't find service: settings",
    );
    expect((await double.report()).settings).toEqual(before);
  });

  test.each(['system accelerometer_rotation', 'system screen_off_timeout'])(
    'leaves %s unchanged if it cannot be read, in the session too, without affecting others',
    async (failingSetting) => {
      const before = (await double.report()).settings;
      await double.faults({ failingSetting });
      {
        await using borrowed = await Borrowed.open(phone);
        await borrowed.perform('rotate', { orientation: 'landscape' });
        const during = (await double.report()).settings;
        expect(during['global stay_on_while_plugged_in']).toBe('7');
        expect(during[failingSetting]).toBe(before[failingSetting]);
        const { settings } = JSON.parse(await readFile(journalFile(), 'utf8'));
        expect(settings).not.toHaveProperty([failingSetting]);
        expect(settings).toMatchObject({ 'system user_rotation': '0', 'system screen_brightness': null });
      }
      await clean();
      expect((await double.report()).settings).toEqual(before);
    },
  );

  test('does not report a phone as clean if its settings cannot be restored', async () => {
    await (await Borrowed.open(phone))[Symbol.asyncDispose]();
    await double.faults({ settingsAway: true });
    await expect(clean()).rejects.toThrow(
      'rejected a change of the setting "global stay_on_while_plugged_in"',
    );
    await double.faults({ settingsAway: false });
    await clean();
    expect((await double.report()).settings['global stay_on_while_plugged_in']).toBe('0');
  });
});

describe('apps', () => {
  test.each(['empty', 'nul', 'half', 'failed'] as const)(
    'starts no session and removes no apps if the package list is %s',
    async (packageList) => {
      await double.faults({ packageList });
      await expect(Borrowed.open(phone)).rejects.toThrow("the list of the phone's apps could not be read");
      await double.faults({ packageList: 'whole' });
      await (await Borrowed.open(phone))[Symbol.asyncDispose]();
      await clean();
      expect((await double.report()).packages).toContain('org.acme.notes');
    },
  );

  test('retries the cleaning if the package list cannot be read at the end', async () => {
    {
      await using borrowed = await Borrowed.open(phone);
      await install(borrowed, 'org.acme.fresh');
      await double.faults({ packageList: 'nul' });
    }
    await expect(clean()).rejects.toThrow("the list of the phone's apps could not be read");
    await double.faults({ packageList: 'whole' });
    await clean();
    const { packages } = await double.report();
    expect(packages).toContain('org.acme.notes');
    expect(packages).not.toContain('org.acme.fresh');
  });

  test('processes a journal in which an earlier version recorded unreadable answers', async () => {
    const before = (await double.report()).settings;
    await (await Borrowed.open(phone))[Symbol.asyncDispose]();
    const journal = JSON.parse(await readFile(journalFile(), 'utf8'));
    await rig.driver[Symbol.asyncDispose]();
    journal.present = ['org.acme\0.notes'];
    journal.installed = ['\0'];
    journal.settings['system font_scale'] = "cmd: Can't find service: settings";
    await writeFile(journalFile(), JSON.stringify(journal));
    await rig.startDriver();
    phone = await rig.usable('Pixel 8');
    await clean();
    const report = await double.report();
    expect(report.settings).toEqual(before);
    expect(report.packages).toContain('org.acme.notes');
  });

  test('sets a damaged journal aside and makes the phone available again', async () => {
    await rig.driver[Symbol.asyncDispose]();
    await writeFile(journalFile(), '{"present":');
    await rig.startDriver();
    phone = await rig.usable('Pixel 8');
    await clean();
    expect(await readFile(`${journalFile()}.damaged`, 'utf8')).toBe('{"present":');
    await (await Borrowed.open(phone))[Symbol.asyncDispose]();
  });

  test('keeps the apps of another Android user if the phone was switched to it during a session', async () => {
    {
      await using borrowed = await Borrowed.open(phone);
      await install(borrowed, 'org.acme.fresh');
      await double.faults({ currentUser: 10 });
    }
    // The service is restarted and finds the other user.
    await rig.driver[Symbol.asyncDispose]();
    await rig.startDriver();
    phone = await rig.usable('Pixel 8');
    const before = await commands('pm uninstall');
    await clean();
    // One uninstall, for the app that was installed in the session.
    expect(await commands('pm uninstall')).toBe(before + 1);
    expect((await double.report()).packages).not.toContain('org.acme.fresh');
    await double.faults({ currentUser: 0 });
  });

  test('names the user whose screen is shown in every command about apps and settings', async () => {
    await double.faults({ currentUser: 10 });
    await rig.driver[Symbol.asyncDispose]();
    await rig.startDriver();
    phone = await rig.usable('Pixel 8');
    const before = await double.report();
    const asked = before.events.length;
    {
      await using borrowed = await Borrowed.open(phone);
      await install(borrowed, 'org.acme.fresh');
      await borrowed.perform('app.launch', { package: 'org.acme.fresh' });
      await borrowed.perform('app.list');
      await borrowed.perform('open_url', { url: 'https://example.com/' });
      await borrowed.perform('location.set', { lat: 1, lng: 2 });
      await borrowed.perform('rotate', { orientation: 'landscape' });
      expect((await double.report()).settings).toMatchObject({
        'user 10 system screen_off_timeout': '2147483647',
        'user 10 system accelerometer_rotation': '0',
        'system accelerometer_rotation': before.settings['system accelerometer_rotation'],
      });
      await borrowed.perform('app.stop', { package: 'org.acme.fresh' });
      await borrowed.perform('app.uninstall', { package: 'org.acme.fresh' });
      await install(borrowed, 'org.acme.fresh');
    }
    await clean();
    const { events, packages, settings } = await double.report();
    const lines = events
      .slice(asked)
      .flatMap((event) => (event.type === 'command' ? event.line.split(/; | \|\| /) : []));
    const named =
      /^(?:pm|am|cmd package|cmd activity|appops) |^settings \w+ (?:--user 10 )?(?:system|secure) /;
    // Commands about the whole phone or an install session, and the uninstall that is tried for all users first.
    const common =
      /^am (?:get-current-user|stack|clear-recent-apps)|install-(?:write|commit|abandon)|^pm uninstall org|^pm path --user 0 android$/;
    const ofUser = lines.filter((line) => named.test(line) && !common.test(line));
    expect(ofUser.filter((line) => !line.includes('--user 10'))).toEqual([]);
    for (const verb of ['list', 'path', 'install-create', 'uninstall', 'start', 'force-stop', 'get', 'put'])
      expect(ofUser, verb).toContainEqual(expect.stringContaining(` ${verb} `));
    expect(packages).not.toContain('org.acme.fresh');
    expect(settings).toEqual(before.settings);
    await double.faults({ currentUser: 0 });
    await rig.driver[Symbol.asyncDispose]();
    await rig.startDriver();
    phone = await rig.usable('Pixel 8');
  });

  test('supports a phone with a locked work profile or Secure Folder', async () => {
    await double.faults({ lockedProfile: true });
    {
      await using borrowed = await Borrowed.open(phone);
      await install(borrowed, 'org.acme.fresh');
      await borrowed.perform('app.launch', { package: 'org.acme.fresh' });
      const { apps } = (await borrowed.perform('app.list')) as { apps: { package: string }[] };
      expect(apps.map((app) => app.package)).toContain('org.acme.fresh');
    }
    await clean();
    expect((await double.report()).packages).not.toContain('org.acme.fresh');
  });
});
