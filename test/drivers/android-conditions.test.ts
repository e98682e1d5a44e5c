import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Conditions, ConditionsReport } from '../../src/contract/sockets/conditions.ts';
import type { Phone } from '../../src/drivers/driver.ts';
import type { PhoneConditions } from '../fixtures/phone-double/phone-conditions.ts';
import type { PhoneModel } from '../fixtures/phone-double/phone-state.ts';
import type { PhoneHandle } from '../fixtures/phone-double/phones.ts';
import { RenamingAdbServer } from '../fixtures/phone-double/renaming-adb-server.ts';
import { AndroidRig, Borrowed } from './android-rig.ts';

const cleaning = () => ({ signal: AbortSignal.timeout(60_000) });
const ALL: Conditions = {
  dark_mode: true,
  font_scale: 1.3,
  time_zone: 'Asia/Tokyo',
  airplane_mode: true,
  battery_saver: true,
  animations: false,
  proxy: 'proxy.example.com:3128',
  location: { lat: 48.2, lng: 16.37 },
};

let rig: AndroidRig;
let server: RenamingAdbServer;
const serials = new Map<string, string>();
beforeAll(async () => {
  rig = await AndroidRig.start();
  // Airplane mode is for phones that the host does not reach over the network.
  server = await RenamingAdbServer.start(rig.server.port, serials);
  await restart();
});
afterAll(async () => {
  await rig[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** Starts another driver. The previous one learns nothing of what happens then, as after `kill -9`. */
async function restart(): Promise<void> {
  await rig.driver[Symbol.asyncDispose]();
  await rig.startDriver({ address: { host: '127.0.0.1', port: server.port } });
}

async function plugIn(model: Partial<PhoneModel> & { model: string }): Promise<PhoneHandle> {
  const double = await rig.phones.add({ serial: `SERIAL${serials.size}`, ...model });
  serials.set(double.address, `USB${serials.size}`);
  await rig.connect(double);
  return double;
}

const set = (borrowed: Borrowed, conditions: Conditions) =>
  borrowed.perform('conditions.set', conditions) as Promise<ConditionsReport>;
const get = (borrowed: Borrowed) => borrowed.perform('conditions.get') as Promise<ConditionsReport>;

async function stateOf(double: PhoneHandle): Promise<{
  conditions: PhoneConditions;
  settings: Record<string, string>;
  location: unknown;
}> {
  const { conditions, settings, location, mockLocation } = await double.report();
  // A phone without a proxy may have either value, and this one is what removes a proxy.
  const { 'global http_proxy': proxy = ':0', ...others } = settings;
  return { conditions, settings: { ...others, 'global http_proxy': proxy, mockLocation }, location };
}

describe('an Android phone', () => {
  let double: PhoneHandle;
  let phone: Phone;
  let before: Awaited<ReturnType<typeof stateOf>>;
  beforeAll(async () => {
    double = await plugIn({ model: 'Fourteen' });
    phone = await rig.usable('Fourteen');
    before = await stateOf(double);
  });

  /** The phone's power service learns later than its battery service that the phone is charging. */
  const expectStateBefore = () =>
    expect.poll(() => stateOf(double), { timeout: 60_000 }).toMatchObject(before);

  test('reports its conditions, and the one that Android cannot change', async () => {
    await using borrowed = await Borrowed.open(phone);
    expect(await get(borrowed)).toEqual({
      values: {
        dark_mode: false,
        font_scale: 1,
        locale: 'en-US',
        time_zone: 'America/New_York',
        airplane_mode: false,
        battery_saver: false,
        animations: true,
        proxy: 'none',
      },
      unsupported: { locale: expect.stringContaining('no command that changes the language') },
    });
  });

  test('changes all of them, and cleaning undoes it', async () => {
    {
      await using borrowed = await Borrowed.open(phone);
      const { values } = await set(borrowed, ALL);
      expect(values).toEqual({ ...ALL, locale: 'en-US' });
      const { conditions, settings, location } = await double.report();
      expect(conditions).toEqual({
        nightMode: 'yes',
        timeZone: 'Asia/Tokyo',
        isAirplaneMode: true,
        areUpdatesStopped: true,
        isPowered: false,
        proxy: 'proxy.example.com:3128',
      });
      expect(settings).toMatchObject({
        'system font_scale': '1.3',
        'global auto_time_zone': '0',
        'global low_power': '1',
        'global window_animation_scale': '0',
        'global transition_animation_scale': '0',
        'global animator_duration_scale': '0',
      });
      expect(location).toEqual(ALL.location);
      expect((await set(borrowed, { proxy: 'none', dark_mode: false })).values).toMatchObject({
        proxy: 'none',
        dark_mode: false,
        airplane_mode: true,
      });
    }
    await phone.clean(cleaning());
    await expectStateBefore();
  });

  test('another host process undoes them after the first one was killed', async () => {
    {
      await using borrowed = await Borrowed.open(phone);
      await set(borrowed, ALL);
    }
    await restart();
    phone = await rig.usable('Fourteen');
    await phone.clean(cleaning());
    await expectStateBefore();
  });

  test('a journal entry without a change, as after a kill before the change, changes nothing', async () => {
    {
      await using borrowed = await Borrowed.open(phone);
      await set(borrowed, { dark_mode: true });
    }
    const [file] = (await readdir(join(rig.folder, 'android'))).filter((name) => name.endsWith('.json'));
    const path = join(rig.folder, 'android', file!);
    const journal = JSON.parse(await readFile(path, 'utf8'));
    expect(journal.conditions).toEqual({ dark_mode: { mode: 'auto', isDark: 'false' } });
    // States of other versions, and what is not one, are left out instead of written to the phone.
    journal.conditions.time_zone = { zone: 'America/New_York', 'global auto_time_zone': null };
    journal.conditions.proxy = { 'global http_proxy': '$(reboot)' };
    journal.conditions.volume = { level: '3' };
    await restart();
    await writeFile(path, JSON.stringify(journal));
    phone = await rig.usable('Fourteen');
    await phone.clean(cleaning());
    await expectStateBefore();
  });

  test('refuses what it does not support or know before it changes anything', async () => {
    await using borrowed = await Borrowed.open(phone);
    await expect(set(borrowed, { dark_mode: true, locale: 'fr' })).rejects.toMatchObject({
      kind: 'unsupported',
      message: expect.stringMatching(/^locale is not supported by this phone: Android has no command/),
    });
    await expect(set(borrowed, { dark_mode: true, time_zone: 'Mars/Olympus' })).rejects.toThrow(
      'time_zone must be an IANA time zone, such as Europe/Paris; Mars/Olympus is not known',
    );
    expect((await get(borrowed)).values.dark_mode).toBe(false);
  });

  test('takes back the changes before one that fails', async () => {
    await using borrowed = await Borrowed.open(phone);
    await double.faults({ refusedService: 'connectivity' });
    await expect(
      set(borrowed, { dark_mode: true, time_zone: 'Asia/Tokyo', airplane_mode: true }),
    ).rejects.toMatchObject({
      kind: 'failed',
      message: 'airplane_mode could not be changed: java.lang.SecurityException: Permission Denial: uid 2000',
    });
    await double.faults({ refusedService: null });
    expect(await stateOf(double)).toMatchObject({ conditions: before.conditions });
  });

  test('changes one after the other if several clients ask at once', async () => {
    await using borrowed = await Borrowed.open(phone);
    await Promise.all([
      set(borrowed, { font_scale: 1.5, animations: false }),
      set(borrowed, { font_scale: 2 }),
      set(borrowed, { animations: true }),
    ]);
    expect((await get(borrowed)).values).toMatchObject({ font_scale: 2, animations: true });
  });
});

test('an older phone names the version that each condition requires', async () => {
  await plugIn({ model: 'Eight', release: '8', sdk: 26 });
  await using borrowed = await Borrowed.open(await rig.usable('Eight'));
  const { values, unsupported } = await get(borrowed);
  expect(values).toMatchObject({ font_scale: 1, animations: true, battery_saver: false });
  expect(unsupported).toMatchObject({
    dark_mode: 'Android 10 or newer is required',
    time_zone: 'Android 9 or newer is required',
    airplane_mode: 'Android 11 or newer is required',
    location: 'Android 12 or newer is required',
  });
});

test('a phone that its host reaches over the network refuses airplane mode', async () => {
  await rig.plugIn({ serial: 'WIFI1', model: 'Wireless' });
  await using borrowed = await Borrowed.open(await rig.usable('Wireless'));
  await expect(set(borrowed, { airplane_mode: true })).rejects.toThrow(
    'airplane_mode is not supported by this phone: its host reaches the phone over the network',
  );
});
