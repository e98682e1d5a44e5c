import type { Page, Route } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newClient } from '../api/kit/clients.ts';
import { type BorrowRequest, borrowConnected, freeDevice } from '../black-box/kit/borrow.ts';
import { until } from '../black-box/kit/wait.ts';
import { isNightly } from '../nightly.ts';
import type { WatchedPage } from './browser.ts';
import { expectAccessible, isSideways, LOW, NARROW, painted, WIDE } from './console-checks.ts';
import {
  type ConsoleRig,
  endSessionInPage,
  openSession,
  openTools,
  signIn,
  startConsole,
  takesCommands,
  waitForVideo,
} from './console-kit.ts';

let rig: ConsoleRig;

beforeAll(async () => {
  rig = await startConsole({ PHONEBOOTH_SIMULATED_PHONES: '2' });
});
afterAll(() => rig?.[Symbol.asyncDispose]());

type Failure = (route: Route) => Promise<void>;
const breakConnection: Failure = (route) => route.abort('connectionreset');
/** As after an upgrade of the service, whose chunks have other names. */
const answer404: Failure = (route) => route.fulfill({ status: 404, body: '' });

/** The browser itself logs each request that fails, and the page reports the import that failed because of it. */
const LOGGED = [/Failed to load resource/, /Failed to fetch dynamically imported module/];

interface Requests {
  /** Number of documents that the page has requested. */
  documents: number;
  /** Number of requests for the chunk that failed. */
  failed: number;
  /** Ends the failures. */
  repair(): void;
}

/** Lets the requests for a chunk of the console fail, until the page is reloaded or for longer. */
async function failChunk(
  page: Page,
  chunk: string,
  fail: Failure,
  { afterReload = false } = {},
): Promise<Requests> {
  let isFailing = true;
  const requests: Requests = { documents: 0, failed: 0, repair: () => (isFailing = false) };
  page.on('request', (request) => {
    if (!request.isNavigationRequest()) return;
    requests.documents += 1;
    if (!afterReload) isFailing = false;
  });
  await page.route(new RegExp(`/assets/${chunk}-[^/]+\\.js$`), (route) => {
    if (!isFailing) return route.continue();
    requests.failed += 1;
    return fail(route);
  });
  return requests;
}

/** The chunks for which this tab does not reload the page again. */
const reloadedFor = (page: Page) =>
  page.evaluate(() => Object.keys(sessionStorage).filter((item) => item.includes('reloaded')));

/** Checks the page at three sizes: in both themes in the nightly run, and in one theme or none for each size in `npm test`. */
async function inspect({ page, screenshot }: WatchedPage, name: string): Promise<void> {
  for (const [viewport, theme] of [
    [NARROW, 'dark'],
    [LOW, null],
    [WIDE, 'light'],
  ] as const) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ['light', 'dark'] as const) {
      if (!isNightly && colorScheme !== theme) continue;
      await page.emulateMedia({ colorScheme });
      await painted(page);
      await screenshot(`${name}-${viewport.width}-${colorScheme}`);
      await expectAccessible(page);
    }
    expect(await isSideways(page)).toBe(false);
  }
}

const failure = (page: Page) => page.getByRole('alert').filter({ hasText: 'Loading failed' });
const screenOf = (page: Page, { device }: BorrowRequest) => page.getByLabel(`Screen of ${device.name}`);
const linkTo = (page: Page, { device }: BorrowRequest) =>
  page.getByRole('link', { name: new RegExp(`${device.name}.*Open session`) });
const mainLink = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name });

describe('a page whose code fails to load', () => {
  test.each([
    ['session-page', 'an upgrade removed the file', answer404],
    ['webcodecs-decoder', 'the connection breaks', breakConnection],
    ...(isNightly ? [['session-page', 'the connection breaks', breakConnection] as const] : []),
  ] as const)('opens after an automatic reload: %s, %s', (chunk, _why, fail) =>
    rig.inPage(async ({ page }) => {
      await using loan = await borrowConnected(rig.api);
      await signIn(page, rig.service.key);
      await linkTo(page, loan).waitFor();
      const requests = await failChunk(page, chunk, fail);
      await linkTo(page, loan).click();
      await until('the automatic reload', () => requests.documents === 1);
      await page.waitForLoadState();
      await waitForVideo(screenOf(page, loan));
      await takesCommands(page);
      expect(new URL(page.url()).pathname).toBe(`/sessions/${loan.session.session_id}`);
      expect(requests.failed).toBeGreaterThan(0);
      expect(requests.documents).toBe(1);
      expect(await reloadedFor(page)).toEqual([]);
    }, LOGGED),
  );

  test('shows a message with a button if it fails again, and is not reloaded automatically a second time', () =>
    rig.inPage(async (watched) => {
      const { page } = watched;
      await using loan = await borrowConnected(rig.api);
      await signIn(page, rig.service.key);
      await linkTo(page, loan).waitFor();
      const requests = await failChunk(page, 'session-page', breakConnection, { afterReload: true });
      await linkTo(page, loan).click();
      await until('the automatic reload', () => requests.documents === 1);
      await page.waitForLoadState();
      await failure(page).waitFor();
      expect(await reloadedFor(page)).toEqual(['phonebooth.reloaded.session']);
      await inspect(watched, 'load-failure');

      // It also fails when it is opened again, without a request.
      await mainLink(page, 'Phones').click();
      await linkTo(page, loan).click();
      await failure(page).waitFor();
      expect(requests.documents).toBe(1);

      const reload = page.getByRole('button', { name: 'Reload', exact: true });
      await Promise.all([page.waitForEvent('load'), reload.click()]);
      await failure(page).waitFor();
      requests.repair();
      await reload.click();
      await waitForVideo(screenOf(page, loan));
      await takesCommands(page);
      expect(requests.documents).toBe(3);
      expect(await reloadedFor(page)).toEqual([]);
    }, LOGGED));

  test('is reloaded only when the service is reachable again', () =>
    rig.inPage(
      async ({ page }) => {
        await signIn(page, rig.service.key);
        await page.getByRole('article').first().waitFor();
        const requests = await failChunk(page, 'usage-page', breakConnection);
        await page.context().setOffline(true);
        await mainLink(page, 'Usage').click();
        await failure(page).waitFor();
        const probe = (url: string) => new URL(url).pathname === '/usage';
        await page.waitForEvent('requestfailed', (request) => probe(request.url()));
        expect(requests.documents).toBe(0);
        await page.context().setOffline(false);
        await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
        expect(requests.documents).toBe(1);
      },
      [...LOGGED, /ERR_INTERNET_DISCONNECTED/],
    ));

  test('is reloaded only when the user no longer waits in the queue', () =>
    rig.inPage(async ({ page, screenshot }) => {
      const other = await newClient(rig.api);
      await using loan = await borrowConnected(other.api);
      await signIn(page, rig.service.key);
      await page.getByRole('button', { name: `Wait for a phone like ${loan.device.name}` }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Get a phone' }).click();
      const bar = page.getByRole('region', { name: 'Waiting for a phone' });
      await bar.getByText('position 1 in the queue').waitFor();
      const requests = await failChunk(page, 'usage-page', answer404);
      const probes: string[] = [];
      page.on('request', (request) => {
        if (new URL(request.url()).pathname === '/usage') probes.push(request.resourceType());
      });
      await mainLink(page, 'Usage').click();
      await failure(page).waitFor();
      await painted(page);
      await screenshot('load-failure-waiting');
      expect(probes).toEqual([]);
      await bar.getByRole('button', { name: 'Stop waiting' }).click();
      await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
      // A probe is repeated if the machine stands still while it is answered
      expect([...new Set(probes)]).toEqual(['fetch', 'document']);
      expect(requests.documents).toBe(1);
    }, LOGGED));

  test.each(isNightly ? ['session-page', 'webcodecs-decoder'] : ['session-page'])(
    'does not interrupt the user when only its preload fails: %s',
    (chunk) =>
      rig.inPage(async ({ page }) => {
        const { name } = await freeDevice(rig.api);
        await signIn(page, rig.service.key);
        await page.getByRole('article', { name }).waitFor();
        const requests = await failChunk(page, chunk, breakConnection);
        const dialog = page.getByRole('dialog');
        await Promise.all([
          page.waitForEvent('requestfailed', (request) => request.url().includes(chunk)),
          page.getByRole('article', { name }).getByRole('button', { name: 'Connect' }).click(),
        ]);
        await dialog.getByText('15 min', { exact: true }).click();
        await painted(page);
        expect(requests.documents).toBe(0);
        await dialog.getByRole('button', { name: 'Connect' }).click();
        await waitForVideo(page.getByLabel(`Screen of ${name}`));
        expect(requests.documents).toBe(1);
        await endSessionInPage(page);
      }, LOGGED),
  );
});

describe('a part of a session page whose code fails to load', () => {
  test('shows a message in its place, and the page is not reloaded automatically', () =>
    rig.inPage(async (watched) => {
      const { page } = watched;
      await using loan = await borrowConnected(rig.api);
      await signIn(page, rig.service.key);
      const canvas = await openSession(page, loan);
      const requests = await failChunk(page, 'tools-panel', answer404, { afterReload: true });
      await openTools(page);
      const panel = page.getByRole('complementary', { name: 'Tools' });
      await panel.getByText('Loading failed').waitFor();
      await inspect(watched, 'load-failure-tools');
      await failChunk(page, 'session-recorder', answer404, { afterReload: true });
      await page.getByRole('button', { name: 'Record a video' }).click();
      await page
        .getByText(/^The connection was interrupted.*Reload the page/)
        .last()
        .waitFor();
      await page.getByRole('button', { name: 'Record a video' }).waitFor();
      await waitForVideo(canvas);
      expect(requests.documents).toBe(0);
      requests.repair();
      await panel.getByRole('button', { name: 'Reload' }).click();
      await waitForVideo(canvas);
      await takesCommands(page);
      await openTools(page);
      await panel.getByRole('tab', { name: 'Apps' }).waitFor();
    }, LOGGED));

  test('explains that the phone cannot be shown without its decoder, after one automatic reload', () =>
    rig.inPage(async (watched) => {
      const { page } = watched;
      await using loan = await borrowConnected(rig.api);
      await signIn(page, rig.service.key);
      await linkTo(page, loan).waitFor();
      const requests = await failChunk(page, 'webcodecs-decoder', answer404, { afterReload: true });
      await linkTo(page, loan).click();
      await until('the automatic reload', () => requests.documents === 1);
      await page.waitForLoadState();
      await page.getByText('Loading failed').waitFor();
      expect(await reloadedFor(page)).toEqual(['phonebooth.reloaded.webcodecs']);
      await inspect(watched, 'load-failure-decoder');
      expect(requests.documents).toBe(1);
      requests.repair();
      await page.getByRole('button', { name: 'Reload', exact: true }).click();
      await waitForVideo(screenOf(page, loan));
      await takesCommands(page);
      expect(await reloadedFor(page)).toEqual([]);
    }, LOGGED));
});
