import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Phone } from '../../src/drivers/driver.ts';
import type { PhoneHandle } from '../fixtures/phone-double/phones.ts';
import { AndroidRig, Borrowed, eventually } from './android-rig.ts';

let rig: AndroidRig;
let double: PhoneHandle;
let phone: Phone;

beforeAll(async () => {
  rig = await AndroidRig.start();
  double = await rig.plugIn();
  phone = await rig.usable('Pixel 8');
});
afterAll(() => rig[Symbol.asyncDispose]());

test('is described by its marketing name, with an id that hides its serial', () => {
  expect(phone.description).toEqual({
    id: expect.stringMatching(/^and-[0-9a-f]{12}$/),
    name: 'Google Pixel 8',
    brand: 'google',
    model: 'Pixel 8',
    os_version: '14',
    screen_size: '6.2',
    resolution: '1080x2400',
    platform: 'android',
    kind: 'physical',
    battery_percent: 64,
  });
});

describe('a phone with a session', () => {
  let borrowed: Borrowed;

  beforeAll(async () => {
    borrowed = await Borrowed.open(phone);
  });
  afterAll(() => borrowed[Symbol.asyncDispose]());

  const touches = async () => (await double.report()).events.filter((event) => event.type === 'touch');

  test('begins with the size, the config and a keyframe, and is awake', async () => {
    expect(borrowed.packets.slice(0, 3)).toMatchObject([
      { type: 'session', width: 360, height: 800 },
      { type: 'config' },
      { type: 'keyframe' },
    ]);
    expect(await double.report()).toMatchObject({
      awake: true,
      locked: false,
      warnings: [],
      scrcpyStarts: 1,
    });
  });

  test('receives a tap where it was aimed, and its screen changes', async () => {
    const before = borrowed.packets.length;
    await borrowed.perform('tap', { x: 0.25, y: 0.75 });
    const [down, up] = await eventually('both ends of the tap', async () => {
      const last = (await touches()).slice(-2);
      return last[1]?.action === 1 && last;
    });
    expect(down).toMatchObject({ action: 0, x: 0.25, y: 0.75, pressure: 1 });
    expect(up).toMatchObject({ action: 1, x: 0.25, y: 0.75 });
    await eventually('a new frame', () => borrowed.packets.length > before);
  });

  test('performs swipes, long presses and scrolls', async () => {
    const before = (await touches()).length;
    await borrowed.perform('swipe', { x1: 0.5, y1: 0.9, x2: 0.5, y2: 0.1, ms: 100 });
    const swipe = await eventually('the end of the gesture', async () => {
      const since = (await touches()).slice(before);
      return since.at(-1)?.action === 1 && since;
    });
    const moves = swipe.filter((touch) => touch.action === 2);
    expect(moves.length).toBeGreaterThan(2);
    expect(moves.map((move) => move.y)).toEqual(moves.map((move) => move.y).toSorted((a, b) => b - a));
    await borrowed.perform('long_press', { x: 0.5, y: 0.5, ms: 50 });
    await borrowed.perform('scroll', { x: 0.5, y: 0.5, dx: 0, dy: -2 });
    await eventually('the scroll event', async () =>
      (await double.report()).events.some((event) => event.type === 'scroll' && event.vertical === -2),
    );
  });

  test('lifts a cancelled finger in scrcpy too', async () => {
    await borrowed.perform('touch', { action: 'down', pointer: 1, x: 0.1, y: 0.1 });
    await eventually('a finger to be down', async () => (await double.report()).heldPointers === 1);
    await borrowed.perform('touch', { action: 'cancel', pointer: 1, x: 0.1, y: 0.1 });
    await eventually('no finger to be down', async () => (await double.report()).heldPointers === 0);
  });

  test('types what keys can type and pastes the rest', async () => {
    await borrowed.perform('text', { text: 'hello there' });
    await borrowed.perform('text', { text: 'héllo 👋' });
    await borrowed.perform('key', { key: 'ENTER' });
    // The driver also sends its own commands, such as one that reads the battery.
    const events = await eventually('the key event', async () => {
      const typed = (await double.report()).events.filter(({ type }) =>
        ['text', 'paste', 'key'].includes(type),
      );
      const last = typed.at(-1);
      return last?.type === 'key' && last.action === 1 && typed;
    });
    expect(events.filter(({ type }) => type !== 'key')).toEqual([
      { type: 'text', text: 'hello there' },
      { type: 'paste', text: 'héllo 👋' },
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'key', keycode: 66, action: 1 });
    await expect(borrowed.perform('key', { key: 'NO_SUCH' })).rejects.toThrow('no key named NO_SUCH');
  });

  test('synchronizes the clipboard in both directions', async () => {
    await borrowed.perform('clipboard.set', { text: 'from here' });
    expect((await double.report()).clipboard).toBe('from here');
    await double.do('copy', 'from the phone');
    await eventually('the clipboard notification', () =>
      borrowed.notifications.some(
        (it) => it.method === 'clipboard.changed' && it.params.text === 'from the phone',
      ),
    );
    expect(await borrowed.perform('clipboard.get')).toEqual({ text: 'from the phone' });
  });

  test('sends a requested keyframe, even if the screen does not change', async () => {
    const before = borrowed.keyframes();
    for (let asked = 0; asked < 20; asked++) borrowed.session.requestKeyframe();
    await eventually('a keyframe', () => borrowed.keyframes() > before);
    expect((await double.report()).resets).toBeLessThanOrEqual(2);
  });

  test('rotates, reports it and restarts the stream with the new size', async () => {
    await borrowed.perform('rotate', { orientation: 'landscape' });
    await eventually('the new size', () =>
      borrowed.packets.some((it) => it.type === 'session' && it.width === 800 && it.height === 360),
    );
    const rotated = { method: 'device.rotated', params: { width: 800, height: 360 } };
    await vi.waitFor(() => expect(borrowed.notifications).toContainEqual(rotated), 60_000);
    await borrowed.perform('rotate', { orientation: 'landscape' });
    expect((await double.report()).landscape).toBe(true);
    await borrowed.perform('rotate');
    await eventually('the phone to be upright again', async () => !(await double.report()).landscape);
  });

  test('lists, launches, stops and clears apps', async () => {
    const { apps } = (await borrowed.perform('app.list')) as { apps: unknown[] };
    expect(apps).toContainEqual({ package: 'org.acme.notes', label: 'Notes', system: false });
    expect(apps).toContainEqual({ package: 'com.android.settings', label: 'Settings', system: true });
    await borrowed.perform('app.launch', { package: 'org.acme.notes' });
    expect((await double.report()).front).toBe('org.acme.notes');
    await borrowed.perform('app.stop', { package: 'org.acme.notes' });
    expect((await double.report()).running).not.toContain('org.acme.notes');
    await borrowed.perform('app.launch', { package: 'org.acme.notes' });
    await borrowed.perform('app.clear', { package: 'org.acme.notes' });
    expect((await double.report()).running).not.toContain('org.acme.notes');
    await expect(borrowed.perform('app.clear', { package: 'no.such.app' })).rejects.toThrow('no app named');
    await expect(borrowed.perform('app.launch', { package: 'no.such.app' })).rejects.toThrow(
      'no app named no.such.app',
    );
  });

  test('opens an address unchanged, and returns the phone’s message for one that it cannot open', async () => {
    const url = "https://example.com/?q=a b&x='$(reboot)';";
    await borrowed.perform('open_url', { url });
    expect((await double.report()).urls).toEqual([url]);
    await expect(borrowed.perform('open_url', { url: 'nothing:here' })).rejects.toThrow('unable to resolve');
  });

  test('takes a screenshot and returns the UI tree', async () => {
    const { png } = (await borrowed.perform('screenshot')) as { png: string };
    expect(Buffer.from(png, 'base64').readUInt32BE(16)).toBe(1080);
    const { root } = (await borrowed.perform('ui.tree')) as { root: object };
    expect(root).toMatchObject({
      role: 'screen',
      children: [
        {
          role: 'FrameLayout',
          children: [
            {
              role: 'Button',
              text: 'Terms & "more"',
              clickable: true,
              bounds: { x: 0, y: 0.5, width: 1, height: 0.5 },
            },
          ],
        },
      ],
    });
  });

  test('streams the log until it is stopped', async () => {
    await borrowed.perform('log.start');
    await eventually('a log line', async () => {
      await double.do('log', 'it happened: once');
      return borrowed.notifications.some(
        ({ method, params }) =>
          method === 'log.line' && params.message === 'it happened: once' && params.app === 'org.acme.notes',
      );
    });
    await borrowed.perform('log.stop');
  });

  test('reports its version, screen, battery, storage and network, and leaves out what it does not report', async () => {
    expect(await borrowed.perform('device.info')).toEqual({
      ...{ os_version: '14', api_level: 34, security_patch: '2025-06-05' },
      ...{ manufacturer: 'google', model: 'Pixel 8', abi: 'arm64-v8a' },
      screen: { width: 1080, height: 2400, density: 420 },
      battery: { percent: 64, charging: true },
      storage: { total_bytes: 111_880_172 * 1024, free_bytes: 71_880_172 * 1024 },
      network: { kind: 'wifi', addresses: ['192.168.1.23'] },
    });
  });

  test('sets a location', async () => {
    await borrowed.perform('location.set', { lat: 48.2, lng: 16.37 });
    expect((await double.report()).location).toEqual({ lat: 48.2, lng: 16.37 });
  });

  test('forwards scrcpy control messages unchanged', async () => {
    borrowed.session.inject(Buffer.from('01000000026869', 'hex'));
    await eventually('the text to arrive', async () =>
      (await double.report()).events.some((event) => event.type === 'text' && event.text === 'hi'),
    );
  });

  test('rejects what the operator has not allowed', async () => {
    expect(borrowed.session.capabilities).not.toContain('shell');
    await expect(borrowed.perform('shell', { command: 'reboot' })).rejects.toMatchObject({
      kind: 'unsupported',
    });
  });
});

test('is cleaned for the next session', async () => {
  const before = await double.report();
  expect(before.settings['global stay_on_while_plugged_in']).toBe('7');
  await phone.clean({ signal: AbortSignal.timeout(60_000) });
  const after = await double.report();
  expect(after).toMatchObject({ clipboard: '', awake: false, location: null, front: null, warnings: [] });
  expect(after.settings['global stay_on_while_plugged_in']).toBe('0');
  expect(after.settings['system accelerometer_rotation']).toBe('1');
  expect(after.packages).toContain('org.acme.notes');
});
