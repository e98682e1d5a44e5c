import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Api } from '../black-box/kit/api.ts';
import { borrow, freeDevice } from '../black-box/kit/borrow.ts';
import { Description } from '../black-box/kit/description.ts';
import { until } from '../black-box/kit/wait.ts';
import { type Service, startService } from '../fixtures/service.ts';
import { difference, type Look, launchChromium, lookAt, openPage, type WatchedPage } from './browser.ts';

let service: Service;
let api: Api;
let browser: Browser;
let pictures: string;

beforeAll(async () => {
  pictures = await mkdtemp(join(tmpdir(), 'phonebooth-console-'));
  browser = await launchChromium();
  service = await startService();
  const description = await Description.fetch(service.baseUrl, undefined);
  api = new Api({ baseUrl: service.baseUrl, key: service.key, ca: undefined, description });
});
afterAll(async () => {
  await browser?.close();
  await service?.[Symbol.asyncDispose]();
});

/** Runs with a page of its own, in which nothing may go wrong but what the test expects. */
async function inPage(run: (watched: WatchedPage) => Promise<void>, expected: RegExp[] = []): Promise<void> {
  const watched = await openPage(browser, pictures);
  try {
    await watched.page.goto(service.httpOrigin);
    await run(watched);
  } catch (error) {
    await watched.picture('failed');
    throw new Error(`the console failed; its last picture is ${pictures}/failed.png`, { cause: error });
  } finally {
    await watched.page.context().close();
  }
  const unexpected = watched.problems.filter((problem) => !expected.some((pattern) => pattern.test(problem)));
  expect(unexpected).toEqual([]);
}

async function signIn(page: Page, key = service.key): Promise<void> {
  await page.getByLabel('API key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Connects to the first phone that is free, by the page's own means, and waits for its picture. */
async function connectInPage(page: Page): Promise<{ canvas: Locator; name: string }> {
  const { name } = await freeDevice(api);
  const card = page.getByRole('article', { name });
  await card.getByRole('button', { name: 'Connect' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Duration').waitFor();
  await dialog.getByRole('button', { name: 'Connect' }).click();
  const canvas = page.getByLabel(`Screen of ${name}`);
  await canvas.waitFor();
  await until('the phone’s picture', async () => (await lookAt(canvas)).colours > 12);
  await page.getByText('Getting the picture').waitFor({ state: 'hidden' });
  return { canvas, name };
}

/** Waits until the picture differs from an earlier one in this share of it, and then no more. */
async function changed(canvas: Locator, before: Look, share = 0.02): Promise<Look> {
  await until('the picture to change', async () => difference(await lookAt(canvas), before) > share);
  return settled(canvas);
}

async function settled(canvas: Locator): Promise<Look> {
  let last = await lookAt(canvas);
  return until('the picture to come to rest', async () => {
    const next = await lookAt(canvas);
    const isStill = difference(next, last) === 0;
    last = next;
    return isStill && next;
  });
}

async function drag(
  page: Page,
  canvas: Locator,
  from: [number, number],
  to: [number, number],
): Promise<void> {
  const box = (await canvas.boundingBox())!;
  const at = ([x, y]: [number, number]) => [box.x + x * box.width, box.y + y * box.height] as const;
  await page.mouse.move(...at(from));
  await page.mouse.down();
  await page.mouse.move(...at(to), { steps: 12 });
  await page.mouse.up();
}

async function tap(canvas: Locator, [x, y]: [number, number]): Promise<void> {
  const { width, height } = (await canvas.boundingBox())!;
  await canvas.click({ position: { x: x * width, y: y * height } });
}

/** The time left that the page shows, in seconds. */
async function secondsLeft(page: Page): Promise<number> {
  const text = (await page.getByRole('timer').innerText()).replace('Time left', '').trim();
  return text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
}

describe('the console', () => {
  test('says in a sentence that a key is wrong', () =>
    inPage(
      async ({ page, picture }) => {
        await picture('sign-in');
        await signIn(page, `pb_${'A'.repeat(43)}`);
        const alert = page.getByRole('alert').filter({ hasText: /\S/ });
        await alert.waitFor();
        expect(await alert.innerText()).toMatch(/^[A-Z].*\.$/);
        await picture('wrong-key');
      },
      // The browser itself reports the answer 401 of that one request.
      [/status of 401/],
    ));

  test('lends a phone: its screen is seen, touched and typed on, extended, and given back', () =>
    inPage(async ({ page, picture }) => {
      await signIn(page);
      await page.getByRole('article').nth(3).waitFor();
      expect(await page.getByRole('article').count()).toBe(4);
      await picture('devices');
      const { canvas, name } = await connectInPage(page);
      const locked = await settled(canvas);
      await picture('session');

      await drag(page, canvas, [0.5, 0.85], [0.5, 0.2]);
      const home = await changed(canvas, locked);
      await picture('swiped');
      await tap(canvas, [0.5, 0.81]);
      const browserApp = await changed(canvas, home);
      await picture('tapped');
      await tap(canvas, [0.55, 0.08]);
      const addressField = await changed(canvas, browserApp);
      await page.keyboard.type('hello phone');
      await changed(canvas, addressField, 0.001);
      await picture('typed');

      await page.getByText('Time left').waitFor();
      const before = await secondsLeft(page);
      expect(before).toBeGreaterThan(25 * 60);
      expect(before).toBeLessThanOrEqual(30 * 60);
      await until('the time to run', async () => (await secondsLeft(page)) < before);
      await page.getByRole('button', { name: 'Extend' }).click();
      await picture('extend');
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Add 15 minutes/ })
        .click();
      await until('the time left to grow', async () => (await secondsLeft(page)) > before + 10 * 60);

      await page.getByRole('button', { name: 'Disconnect' }).click();
      await page.getByRole('heading', { name: 'Session ended' }).waitFor();
      expect(await page.getByRole('main').innerText()).toContain('You gave the phone back.');
      await picture('ended');
      await page.getByRole('link', { name: 'Back to phones' }).click();
      await page.getByRole('article', { name }).waitFor();
    }));

  test('says why when an operator ends the session', () =>
    inPage(async ({ page, picture }) => {
      const created = await service.command('keys', 'create', '--account', 'default', '--json');
      const { key, id } = JSON.parse(created.stdout) as { key: string; id: string };
      const loan = await borrow(api.withKey(key));
      await signIn(page);
      await page.getByRole('article').first().waitFor();
      await page.goto(`${service.httpOrigin}/sessions/${loan.session.session_id}`);
      await page.getByLabel(`Screen of ${loan.device.name}`).waitFor();
      expect((await service.command('keys', 'revoke', id)).code).toBe(0);
      await page.getByRole('heading', { name: 'Session ended' }).waitFor();
      expect(await page.getByRole('main').innerText()).toContain('An operator ended the session.');
      await picture('ended-by-operator');
    }));

  test('shows the session again after the page was loaded anew, turned as the phone is', () =>
    inPage(async ({ page, picture }) => {
      await signIn(page);
      const { canvas, name } = await connectInPage(page);
      const box = (await canvas.boundingBox())!;
      expect(box.height).toBeGreaterThan(box.width);
      await page.getByRole('button', { name: 'Rotate' }).click();
      await until('the picture to turn', async () => {
        const turned = (await canvas.boundingBox())!;
        return turned.width > turned.height;
      });
      await picture('rotated');
      await page.reload();
      const again = page.getByLabel(`Screen of ${name}`);
      await again.waitFor();
      await until('the phone’s picture', async () => (await lookAt(again)).colours > 12);
      const turned = (await again.boundingBox())!;
      expect(turned.width).toBeGreaterThan(turned.height);
      await picture('reloaded');
      await page.getByRole('button', { name: 'Disconnect' }).click();
      await page.getByRole('heading', { name: 'Session ended' }).waitFor();
    }));
});
