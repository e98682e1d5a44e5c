import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addPhones } from '../../bench/kit/shelf.ts';
import { openStore } from '../../src/store/open-store.ts';
import { silentLog } from '../../src/util/log.ts';
import { newClient } from '../api/kit/clients.ts';
import { type Device, type Page as Listed, type Session, succeeded } from '../black-box/kit/api.ts';
import { borrowConnected, freeDevice, listAll } from '../black-box/kit/borrow.ts';
import { until } from '../black-box/kit/wait.ts';
import { expectAccessible, NARROW, painted, TABLET } from './console-checks.ts';
import {
  type ConsoleRig,
  endSessionInPage,
  signIn,
  startConsole,
  takesCommands,
  waitForVideo,
} from './console-kit.ts';

let rig: ConsoleRig;

beforeAll(async () => {
  rig = await startConsole();
});
afterAll(() => rig?.[Symbol.asyncDispose]());

/**
 * Reloads the page and records all of its requests from then on. Returns a function that reads the records in the
 * order of the events in the page: `asked /v1/devices`, and `ended /v1/devices` once that request has completed or
 * failed.
 */
async function noteRequests(page: Page): Promise<() => Promise<string[]>> {
  await page.addInitScript(() => {
    const notes: string[] = [];
    Object.assign(globalThis, { notes });
    const send = globalThis.fetch;
    globalThis.fetch = async (input, init) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input, location.href);
      notes.push(`asked ${pathname}`);
      try {
        return await send(input, init);
      } finally {
        notes.push(`ended ${pathname}`);
      }
    };
  });
  await page.reload();
  return () => page.evaluate(() => (globalThis as unknown as { notes: string[] }).notes);
}

const LIST = '/v1/devices';
const EVENTS = '/v1/events';
const count = (notes: string[], wanted: string) => notes.filter((note) => note === wanted).length;

const card = (page: Page, name: string) => page.getByRole('article', { name, exact: true });
const mainLink = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name });

describe('the page of phones', () => {
  test('updates by itself when a phone changes', () =>
    rig.inPage(async ({ page, screenshot }) => {
      const other = await newClient(rig.api);
      const isFree = async () => (await listAll(rig.api, '&status=available')).length === 4;
      await until('four available phones', isFree);
      const requests = await noteRequests(page);
      await signIn(page, rig.service.key);
      await page.getByRole('article').nth(3).waitFor();
      // The first requests wait for the event stream for one second. Without it, the page fetches everything again later.
      await until('a page whose event stream opens within a second', async () => {
        const notes = await requests();
        const opened = notes.indexOf(`ended ${EVENTS}`);
        if (opened !== -1 && opened < notes.indexOf(`asked ${LIST}`)) return true;
        await page.reload();
        await page.getByRole('article').nth(3).waitFor();
      });
      const loan = await borrowConnected(other.api, { duration: 5 });
      const borrowed = card(page, loan.device.name);
      // Shortly before midnight the text contains the date.
      await borrowed.getByText(/^Busy until /).waitFor();
      expect(await borrowed.getByText('Android').innerText()).toMatch(/^Android \d+ · Simulated · /);
      await screenshot('devices-busy');
      await expectAccessible(page);
      await loan[Symbol.asyncDispose]();
      await borrowed.getByText('Available', { exact: true }).waitFor();
      // The page fetches everything once, after the event stream has opened, and then follows its events.
      const asked = (await requests()).filter((note) => note.startsWith('asked /v1/'));
      expect(asked.sort()).toEqual(
        ['devices', 'events', 'sessions', 'usage'].map((path) => `asked /v1/${path}`),
      );
    }));

  test('keeps favourites first, stored in this browser', () =>
    rig.inPage(async ({ page, screenshot }) => {
      await signIn(page, rig.service.key);
      const names = () => page.getByRole('article').getByRole('heading').allInnerTexts();
      await page.getByRole('article').nth(3).waitFor();
      const last = (await names()).at(-1)!;
      await page.getByRole('button', { name: `Favourite: ${last}` }).click();
      await until('the favourite to come first', async () => (await names())[0] === last);
      await screenshot('devices-favourite');
      await page.getByRole('button', { name: 'Favourites', exact: true }).click();
      await until('only favourites to be shown', async () => (await names()).length === 1);
      expect(page.url()).toContain('starred=1');
      await page.reload();
      await until('the favourites to be shown again', async () => (await names()).join() === last);
      await page.getByRole('button', { name: `Favourite: ${last}` }).click();
      await page.getByText('No matching favourites').waitFor();
      await page.getByRole('button', { name: 'Clear filters' }).last().click();
      await page.getByRole('article').nth(3).waitFor();
    }));

  test('queues for a phone like a busy one, shows this on every page, and opens the phone when it is available', () =>
    rig.inPage(async ({ page, screenshot }) => {
      const other = await newClient(rig.api);
      await signIn(page, rig.service.key);
      const { name } = await freeDevice(rig.api);
      const dialog = page.getByRole('dialog');
      const bar = page.getByRole('region', { name: 'Waiting for a phone' });
      const apps = Promise.withResolvers<void>();
      await page.route(/\/v1\/apps\b/, (route) => apps.promise.then(() => route.continue()));
      await page.getByRole('article', { name }).getByRole('button', { name: 'Connect' }).click();
      const connect = dialog.getByRole('button', { name: 'Connect', exact: true });
      const place = await connect.boundingBox();
      apps.resolve();
      await dialog.getByText('You have not uploaded any apps yet.').waitFor();
      expect(await connect.boundingBox(), 'the button stays under the pointer').toEqual(place);
      await dialog.getByText('Custom').click();
      await dialog.getByLabel('Minutes').fill('481');
      await dialog.getByText('Enter a whole number of minutes from 1 to 480.').waitFor();
      expect(await dialog.getByRole('button', { name: 'Connect', exact: true }).isDisabled()).toBe(true);
      await dialog.getByLabel('Minutes').fill('20');
      await screenshot('connect-custom');
      const loan = await borrowConnected(other.api, { duration: 5 });
      expect(loan.device.name).toBe(name);
      await dialog.getByText(`${name} is in use.`).waitFor();
      await screenshot('connect-busy');
      await expectAccessible(page);
      await dialog.getByRole('button', { name: 'Wait for a phone like it' }).click();
      await bar.getByText('position 1 in the queue').waitFor();
      await bar.getByRole('button', { name: 'Stop waiting' }).click();
      await bar.waitFor({ state: 'hidden' });

      const wait = page.getByRole('button', { name: `Wait for a phone like ${name}` });
      await wait.click();
      await screenshot('any-phone');
      await expectAccessible(page);
      await dialog.getByRole('button', { name: 'Get a phone' }).click();
      await bar.getByText('position 1 in the queue').waitFor();
      await screenshot('waiting');
      await bar.getByRole('button', { name: 'Stop waiting' }).click();
      await bar.waitFor({ state: 'hidden' });

      await wait.click();
      await dialog.getByRole('button', { name: 'Get a phone' }).click();
      await mainLink(page, 'Sessions').click();
      await bar.getByText('position 1 in the queue').waitFor();
      await expectAccessible(page);
      await loan[Symbol.asyncDispose]();
      await waitForVideo(page.getByLabel(`Screen of ${name}`));
      await endSessionInPage(page);

      await mainLink(page, 'Sessions').click();
      const row = page.getByRole('row').filter({ hasText: name }).first();
      await row.getByText('Ended by client').waitFor();
      await page.getByLabel('Status').selectOption('disconnected');
      await until('the filter to appear in the address', () => page.url().endsWith('status=disconnected'));
      await row.getByText('Ended by client').waitFor();
      await screenshot('history');
      await expectAccessible(page);

      await row.getByRole('link', { name }).click();
      await page.getByRole('heading', { name, level: 1 }).waitFor();
      const steps = page.getByRole('region', { name: 'Timeline' }).getByRole('listitem');
      expect(await steps.getByRole('paragraph').first().innerText()).toBe('Requested');
      // The session may have ended before the service was notified that its phone is ready.
      const last = /^(Ended|Did not start)\s+.*\d:\d\d:\d\d [AP]M\s+Ended by a client of the account\.$/;
      expect(await steps.last().innerText()).toMatch(last);
      await page.getByText(/^[01] minutes? charged, \d+ minutes refunded$/).waitFor();
      await page.reload();
      await page.getByRole('button', { name: 'Connect again' }).waitFor();
    }));

  test('connects with one click as the last time, and says why it could not', () =>
    rig.inPage(
      async ({ page, screenshot }) => {
        const { api, key } = await newClient(rig.api, { limits: { quota_minutes: 18 } });
        await signIn(page, key);
        const connect = page.getByRole('article').getByRole('button', { name: 'Connect', exact: true });
        await connect.first().click();
        await page.getByRole('dialog').getByText('15 min').click();
        await page.getByRole('dialog').getByRole('button', { name: 'Connect', exact: true }).click();
        await page.waitForURL('**/sessions/*');
        const latest = async () => succeeded(await api.get<Listed<Session>>('/sessions')).items[0]!;
        const first = await latest();
        await waitForVideo(page.getByLabel(/^Screen of /));
        await takesCommands(page);
        succeeded(await api.post(`/sessions/${first.session_id}/disconnect`));

        await page.goto(`${rig.service.httpOrigin}/devices`);
        await connect.first().focus();
        await page.getByText('15 min, without an app').first().waitFor();
        await screenshot('devices-one-click');
        await expectAccessible(page);
        await page.keyboard.press('Enter');
        await page.waitForURL('**/sessions/*');
        const second = await latest();
        expect(second).toMatchObject({ minutes_reserved: 15, status: expect.stringMatching(/^connect/) });
        expect(second.session_id).not.toBe(first.session_id);

        await page.goto(`${rig.service.httpOrigin}/devices`);
        await page.getByRole('article').getByRole('link', { name: 'Open' }).waitFor();
        await connect.first().click();
        const dialog = page.getByRole('dialog');
        await dialog.getByText(/You have only [23] minutes left/).waitFor();
        await page.keyboard.press('Escape');
        const choose = page.getByRole('button', { name: /^Choose duration and app for/ });
        await choose.first().click();
        await dialog.getByText(/You have [23] minutes left this month\./).waitFor();
        succeeded(await api.post(`/sessions/${second.session_id}/disconnect`));
      },
      [/status of 403/],
    ));

  test('keeps a dialog open that was closed and opened again before the event of closing it', () =>
    rig.inPage(async ({ page }) => {
      await signIn(page, rig.service.key);
      await page.getByRole('article').first().waitFor();
      await page.getByRole('button', { name: 'Any phone' }).click();
      const dialog = page.getByRole('dialog');
      // React's double effects in development do the same.
      await dialog.evaluate(async (element: HTMLDialogElement) => {
        const closed = new Promise((resolve) => element.addEventListener('close', resolve));
        element.close();
        element.showModal();
        await closed;
      });
      await painted(page);
      expect(await dialog.isVisible()).toBe(true);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
    }));

  test('indicates a lost connection to the service and recovers', () =>
    rig.inPage(
      async ({ page, screenshot }) => {
        await signIn(page, rig.service.key);
        await page.getByRole('article').first().waitFor();
        const note = page.getByText('Live updates are interrupted');
        await rig.service.stop();
        await note.waitFor();
        await screenshot('not-live');
        await rig.service.restart();
        await note.waitFor({ state: 'hidden' });
      },
      [/ERR_|Failed to load resource/],
    ));
});

describe('a list of ten thousand phones', () => {
  const PHONES = 10_000;
  /**
   * A page of cards has a few dozen elements per card. Rendering all phones would create hundreds of thousands of
   * elements.
   */
  const MOST_ELEMENTS = 2_500;
  const elements = (page: Page) => page.evaluate(() => document.querySelectorAll('*').length);

  beforeAll(async () => {
    const sqliteFile = join(rig.service.dataDir, 'phonebooth.db');
    // The hosts were last seen one hour in the future. They never report, but do not count as lost until then.
    const store = await openStore({ sqliteFile }, { log: silentLog, clockOffsetMs: () => 3_600_000 });
    await addPhones(store, { from: 0, to: PHONES, phonesPerHost: 100 });
    await store[Symbol.asyncDispose]();
  });

  test.each(['cards', 'a table'])(
    'scrolls as %s to the last phone while rendering one screen at a time',
    (view) =>
      rig.inPage(async ({ page, screenshot }) => {
        const total = PHONES + 4;
        const lastPage = Math.ceil(total / 100);
        // The service was restarted, so its own phones may not have been reported yet.
        const list = await until('all phones to be shown', async () => {
          const path = `/devices?page=${lastPage}&page_size=100`;
          const answer = succeeded(await rig.api.get<Listed<Device>>(path));
          return answer.total === total && answer;
        });
        const requests = await noteRequests(page);
        await signIn(page, rig.service.key);
        await page.getByText('10,004 phones').waitFor();
        await page.getByRole('button', { name: `Show as ${view}` }).click();
        const first = page.locator('[data-index="0"]');
        await first.waitFor();
        await screenshot(`many-${view}`);
        expect(await elements(page)).toBeLessThan(MOST_ELEMENTS);

        await first.focus();
        await page.keyboard.press('End');
        const last = page.locator(`[data-index="${total - 1}"]`);
        await last.getByText(list.items.at(-1)!.name).first().waitFor();
        expect(await last.evaluate((element) => element === document.activeElement)).toBe(true);
        expect(await elements(page)).toBeLessThan(MOST_ELEMENTS);
        await screenshot(`many-${view}-end`);
        await expectAccessible(page);
        await page.keyboard.press('ArrowUp');
        await until('the focus to move up', () =>
          page.evaluate((end) => Number(document.activeElement?.getAttribute('data-index')) < end, total - 1),
        );
        expect(count(await requests(), `asked ${LIST}`)).toBeLessThan(40);
      }),
  );

  test.each([NARROW, TABLET])('fills the width of its table in a window $width px wide', (viewport) =>
    rig.inPage(async ({ page, screenshot }) => {
      await page.setViewportSize(viewport);
      await signIn(page, rig.service.key);
      await page.getByRole('button', { name: 'Show as a table' }).click();
      const row = page.locator('tr[data-index="0"]');
      await row.waitFor();
      await screenshot(`many-table-${viewport.width}`);
      const unused = row.evaluate((element) => {
        const cells = [...element.children].map((cell) => cell.getBoundingClientRect().right);
        return element.getBoundingClientRect().right - Math.max(...cells);
      });
      expect(await unused).toBeLessThan(1);
    }),
  );
});
