import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Api, succeeded } from '../black-box/kit/api.ts';
import { freeDevice } from '../black-box/kit/borrow.ts';
import { Description } from '../black-box/kit/description.ts';
import { until } from '../black-box/kit/wait.ts';
import { startService } from '../fixtures/service.ts';
import { lookAtCanvas } from './browser.ts';
import { changed, settled } from './console-kit.ts';
import { Firefox } from './firefox.ts';

const ALBUM = process.env.PHONEBOOTH_TEST_SCREENSHOTS;

test('the console works in Firefox: list, connect, picture, tap, type and end', async () => {
  await using service = await startService({ settings: { PHONEBOOTH_SIMULATED_PHONES: '1' } });
  const description = await Description.fetch(service.baseUrl, undefined);
  const api = new Api({ baseUrl: service.baseUrl, key: service.key, ca: undefined, description });
  await using firefox = await Firefox.launch({ width: 1280, height: 900 });
  const screenshot = async (name: string) => {
    if (ALBUM) await firefox.screenshot(join(ALBUM, `firefox-${name}.png`));
  };
  try {
    await firefox.goto(service.httpOrigin);
    await (await firefox.find('API key')).click();
    await firefox.type(service.key);
    await (await firefox.find('Sign in', 'button')).click();
    const { name } = await freeDevice(api);
    await firefox.find(name, 'article');
    await screenshot('devices');
    await (await firefox.find('Connect', 'button')).click();
    await firefox.find(`Connect to ${name}`, 'dialog');
    await screenshot('connect');
    await (await firefox.find('Connect', 'button')).click();

    const canvas = await firefox.find(`Screen of ${name}`);
    await until('the phone’s video', async () => (await lookAtCanvas(canvas)).colours > 12);
    const home = await firefox.find('Home', 'button');
    await until('the phone to accept commands', () =>
      home.evaluate((button) => !(button as HTMLButtonElement).disabled, null),
    );
    const locked = await settled(canvas);
    await canvas.drag([0.5, 0.85], [0.5, 0.7], [0.5, 0.5], [0.5, 0.3], [0.5, 0.2]);
    const unlocked = await changed(canvas, locked, 0.05);
    await canvas.click([0.5, 0.81]);
    const browserApp = await changed(canvas, unlocked);
    await canvas.click([0.55, 0.08]);
    const addressField = await changed(canvas, browserApp);
    await firefox.type('hello phone');
    await changed(canvas, addressField, 0.001);
    expect(await firefox.text()).toContain('Your typing goes to the phone.');
    await screenshot('typed');

    await (await firefox.find('End session', 'button')).click();
    await firefox.find('Session ended', 'heading');
    expect(await firefox.text()).toContain('You or another client of your account ended the session.');
    const { items } = succeeded(await api.get<{ items: { end_reason: string }[] }>('/sessions?page_size=1'));
    expect(items[0]!.end_reason).toBe('client');
    expect(firefox.problems).toEqual([]);
  } catch (error) {
    const path = join(await mkdtemp(join(tmpdir(), 'phonebooth-failed-')), 'firefox.png');
    await firefox.screenshot(path);
    const problems = firefox.problems.join('\n') || 'none';
    throw new Error(
      `the test in Firefox failed; see the screenshot ${path}; errors of the page: ${problems}`,
      {
        cause: error,
      },
    );
  }
});
