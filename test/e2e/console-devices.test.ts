import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addPhones } from '../../bench/kit/shelf.ts';
import { openStore } from '../../src/store/open-store.ts';
import { silentLog } from '../../src/util/log.ts';
import { newClient } from '../api/kit/clients.ts';
import { succeeded } from '../black-box/kit/api.ts';
import { borrowConnected, freeDevice } from '../black-box/kit/borrow.ts';
import { until } from '../black-box/kit/wait.ts';
import { type ConsoleRig, signIn, startConsole } from './console-kit.ts';

let rig: ConsoleRig;

beforeAll(async () => {
  rig = await startConsole();
});
afterAll(() => rig?.[Symbol.asyncDispose]());

async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
}

/** Requests for this path, counted from now on. */
function countRequests(page: Page, path: string): () => number {
  let count = 0;
  page.on('request', (request) => {
    if (new URL(request.url()).pathname === path) count += 1;
  });
  return () => count;
}

const LIVE_DELAY_MS = 10_000;
const card = (page: Page, name: string) => page.getByRole('article', { name, exact: true });
const mainLink = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name });

describe('the page of phones', () => {
  test('shows what changes without asking for it', () =>
    rig.inPage(async ({ page, picture }) => {
      const other = await newClient(rig.api);
      const listened = page.waitForResponse((response) => response.url().endsWith('/v1/events'));
      await signIn(page, rig.service.key);
      await listened;
      await card(page, (await freeDevice(rig.api)).name).waitFor();
      await page.waitForLoadState('networkidle', { timeout: 5_000 }).catch(() => {});
      const asked = countRequests(page, '/v1/devices');
      const loan = await borrowConnected(other.api, { duration: 5 });
      const borrowed = card(page, loan.device.name);
      await borrowed.getByText('Busy', { exact: true }).waitFor({ timeout: LIVE_DELAY_MS });
      await picture('devices-busy');
      await expectAccessible(page);
      await loan[Symbol.asyncDispose]();
      await borrowed.getByText('Available', { exact: true }).waitFor({ timeout: LIVE_DELAY_MS });
      expect(asked()).toBe(0);
    }));

  test('keeps favourites first, in this browser', () =>
    rig.inPage(async ({ page, picture }) => {
      await signIn(page, rig.service.key);
      const names = () => page.getByRole('article').getByRole('heading').allInnerTexts();
      await page.getByRole('article').nth(3).waitFor();
      const last = (await names()).at(-1)!;
      await page.getByRole('button', { name: `Favourite: ${last}` }).click();
      await until('the favourite to come first', async () => (await names())[0] === last);
      await picture('devices-favourite');
      await page.getByRole('button', { name: 'Favourites', exact: true }).click();
      await until('only favourites to be shown', async () => (await names()).length === 1);
      expect(page.url()).toContain('starred=1');
      await page.reload();
      await until('the favourites again', async () => (await names()).join() === last);
      await page.getByRole('button', { name: `Favourite: ${last}` }).click();
      await page.getByText('No favourites here').waitFor();
      await page.getByRole('button', { name: 'Clear filters' }).last().click();
      await page.getByRole('article').nth(3).waitFor();
    }));

  test('waits for a phone like one that is busy, on every page, and goes to it when it is free', () =>
    rig.inPage(async ({ page, picture }) => {
      const other = await newClient(rig.api);
      const loan = await borrowConnected(other.api, { duration: 5 });
      await signIn(page, rig.service.key);
      const { name } = loan.device;
      const wait = page.getByRole('button', { name: `Wait for a phone like ${name}` });
      const dialog = page.getByRole('dialog');
      const bar = page.getByRole('region', { name: 'Waiting for a phone' });
      await wait.click();
      await picture('any-phone');
      await expectAccessible(page);
      await dialog.getByRole('button', { name: 'Get a phone' }).click();
      await bar.getByText('number 1 in the queue').waitFor();
      await picture('waiting');
      await bar.getByRole('button', { name: 'Stop waiting' }).click();
      await bar.waitFor({ state: 'hidden' });

      await wait.click();
      await dialog.getByRole('button', { name: 'Get a phone' }).click();
      await mainLink(page, 'Sessions').click();
      await bar.getByText('number 1 in the queue').waitFor();
      await expectAccessible(page);
      await loan[Symbol.asyncDispose]();
      await page.getByLabel(`Screen of ${name}`).waitFor();
      await page.getByRole('button', { name: 'Disconnect' }).click();
      await page.getByRole('heading', { name: 'Session ended' }).waitFor();

      await mainLink(page, 'Sessions').click();
      const row = page.getByRole('row').filter({ hasText: name }).first();
      await row.getByText('Given back').waitFor();
      await page.getByLabel('Status').selectOption('disconnected');
      await until('the filter in the address', () => page.url().endsWith('status=disconnected'));
      await row.getByText('Given back').waitFor();
      await picture('history');
      await expectAccessible(page);
    }));

  test('says when it is not live, and is again by itself', () =>
    rig.inPage(
      async ({ page, picture }) => {
        await signIn(page, rig.service.key);
        await page.getByRole('article').first().waitFor();
        const note = page.getByText('Not live just now');
        await rig.service.stop();
        await note.waitFor();
        await picture('not-live');
        await rig.service.restart();
        await note.waitFor({ state: 'hidden' });
      },
      [/ERR_|Failed to load resource/],
    ));
});

describe('ten thousand phones', () => {
  const PHONES = 10_000;
  /** A page of cards has a few dozen elements each; ten thousand would be hundreds of thousands. */
  const MOST_ELEMENTS = 2_500;
  const elements = (page: Page) => page.evaluate(() => document.querySelectorAll('*').length);

  beforeAll(async () => {
    const sqliteFile = join(rig.service.dataDir, 'phonebooth.db');
    // Hosts that were heard of an hour from now: nobody reports them, and they are not lost for as long.
    const store = await openStore({ sqliteFile }, { log: silentLog, clockOffsetMs: () => 3_600_000 });
    await addPhones(store, { from: 0, to: PHONES, phonesPerHost: 100 });
    await store[Symbol.asyncDispose]();
  });

  test.each(['cards', 'a table'])(
    'are scrolled through as %s to the last, a screen of them at a time',
    (view) =>
      rig.inPage(async ({ page, picture }) => {
        const total = PHONES + 4;
        const lastPage = Math.ceil(total / 100);
        const list = succeeded(
          await rig.api.get<{ items: { name: string }[]; total: number }>(
            `/devices?page=${lastPage}&page_size=100`,
          ),
        );
        expect(list.total).toBe(total);
        const asked = countRequests(page, '/v1/devices');
        await signIn(page, rig.service.key);
        await page.getByText('10,004 phones').waitFor();
        await page.getByRole('button', { name: `Show as ${view}` }).click();
        const first = page.locator('[data-index="0"]');
        await first.waitFor();
        await picture(`many-${view}`);
        expect(await elements(page)).toBeLessThan(MOST_ELEMENTS);

        await first.focus();
        await page.keyboard.press('End');
        const last = page.locator(`[data-index="${total - 1}"]`);
        await last.getByText(list.items.at(-1)!.name).first().waitFor();
        expect(await last.evaluate((element) => element === document.activeElement)).toBe(true);
        expect(await elements(page)).toBeLessThan(MOST_ELEMENTS);
        await picture(`many-${view}-end`);
        await expectAccessible(page);
        await page.keyboard.press('ArrowUp');
        await until('the focus to move up', () =>
          page.evaluate((end) => Number(document.activeElement?.getAttribute('data-index')) < end, total - 1),
        );
        expect(asked()).toBeLessThan(40);
      }),
  );
});
