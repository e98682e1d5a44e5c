import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newClient } from '../api/kit/clients.ts';
import { borrowConnected } from '../black-box/kit/borrow.ts';
import { until } from '../black-box/kit/wait.ts';
import { signInSettings } from '../fixtures/identity-provider/identity-provider.ts';
import { isNightly } from '../nightly.ts';
import type { WatchedPage } from './browser.ts';
import { stopOf, tabTo } from './browser-focus.ts';
import {
  DAY_MS,
  isNavigationCut,
  isSideways,
  longAnimations,
  NARROW,
  painted,
  violations,
  WIDE,
  ZOOMED,
} from './console-checks.ts';
import {
  type ConsoleRig,
  follow,
  signIn,
  signOut,
  startConsole,
  takesCommands,
  waitForVideo,
} from './console-kit.ts';
import { fillWorld, placesOf, type World } from './console-places.ts';

/** Maximum size of the JavaScript that loads before the phones are displayed, as transferred. */
const FIRST_LOAD_BYTES = 300_000;

let rig: ConsoleRig;
let world: World;

beforeAll(async () => {
  // The service contacts the provider only when a user signs in there
  rig = await startConsole({
    ...{ PHONEBOOTH_SIMULATED_PHONES: '6' },
    ...signInSettings('http://localhost:9'),
  });
  world = await fillWorld(rig.api);
});
afterAll(() => rig?.[Symbol.asyncDispose]());

const SIZES = [
  ['wide', WIDE],
  ['narrow', NARROW],
] as const;

/**
 * The combinations of size and theme in which axe checks the pages. The nightly run checks each page in all of them.
 * `npm test` checks each page in one, and the next page in the next one, because axe takes most of the time of this file
 * and the pages share their components and colours.
 */
const COMBINATIONS = ['wide light', 'narrow dark', 'wide dark', 'narrow light'];
const isComplete = isNightly || process.env.PHONEBOOTH_TEST_SCREENSHOTS !== undefined;
let checkedPages = 0;

/** Lists the problems of the page at desktop and phone sizes, zoomed, and in both themes. */
async function faultsOf({ page, screenshot }: WatchedPage, name: string): Promise<string[]> {
  const faults: string[] = [];
  const inThisOne = COMBINATIONS[checkedPages % COMBINATIONS.length]!;
  checkedPages += 1;
  for (const [size, viewport] of SIZES) {
    await page.setViewportSize(viewport);
    for (const colorScheme of ['light', 'dark'] as const) {
      const combination = `${size} ${colorScheme}`;
      if (!isComplete && combination !== inThisOne) continue;
      await page.emulateMedia({ colorScheme });
      await painted(page);
      await screenshot(`${name}-${size}-${colorScheme}`);
      faults.push(...(await violations(page)).map((violation) => `${combination}: ${violation}`));
      faults.push(...(await longAnimations(page)));
    }
    if (await isSideways(page)) faults.push(`something lies beside it at ${viewport.width}`);
    if (await isNavigationCut(page)) faults.push(`its navigation does not fit at ${viewport.width}`);
    const titles = await page.locator('h1').count();
    if (titles !== 1) faults.push(`it has ${titles} headings of the first level`);
  }
  await page.setViewportSize(ZOOMED);
  if (await isSideways(page)) faults.push('something lies beside it at 200 %');
  await page.setViewportSize(WIDE);
  return faults.map((fault) => `${name}: ${fault}`);
}

/**
 * Opens a page of the console as one of its links does. Loads the document only if the page is open already, and in
 * the nightly run.
 */
async function visit(page: Page, path: string): Promise<void> {
  const url = new URL(path, rig.service.httpOrigin);
  if (isNightly || new URL(page.url()).pathname === url.pathname) {
    await page.goto(url.href);
    return;
  }
  await follow(page, path);
}

/** Logs violations of the page's content security policy as errors, which fail the test. */
const reportPolicy = (page: Page) =>
  page.addInitScript(() => {
    addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI }) => {
      // biome-ignore lint/suspicious/noConsole: runs in the page, whose console the test reads
      console.error(`the policy blocked ${effectiveDirective} ${blockedURI}`);
    });
  });

describe('every page in light and dark mode, wide and narrow', () => {
  test('without a sign-in: signing in, watching', () =>
    rig.inPage(async (watched) => {
      const { page } = watched;
      await reportPolicy(page);
      await page.reload();
      await page.getByLabel('API key', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Sign in with Example ID' }).waitFor();
      const faults = await faultsOf(watched, 'sign-in');
      await page.goto(`${rig.service.httpOrigin}/signed-in?problem=no_access`);
      await page.getByRole('button', { name: 'Try again' }).waitFor();
      faults.push(...(await faultsOf(watched, 'signed-in-refused')));
      const stream = encodeURIComponent(world.live.session.stream_url);
      await page.goto(`${rig.service.httpOrigin}/watch#name=Pixel&stream=${stream}`);
      await waitForVideo(page.getByLabel('Screen of Pixel'));
      faults.push(...(await faultsOf(watched, 'watch')));
      await page.goto(`${rig.service.httpOrigin}/watch#stream=half`);
      await page.getByRole('heading', { name: 'This is not a valid watch link' }).waitFor();
      faults.push(...(await faultsOf(watched, 'watch-broken')));
      expect(faults).toEqual([]);
    }));

  test('with a sign-in, including operator pages', () =>
    rig.inPage(
      async (watched) => {
        const { page } = watched;
        await reportPolicy(page);
        await page.reload();
        await signIn(page, rig.service.key);
        await page.getByRole('article').first().waitFor();
        const { session } = await borrowConnected(rig.api, { duration: 1 });
        await page.goto(`${rig.service.httpOrigin}/sessions/${session.session_id}`);
        await page.getByText(/^This session ends in \d/).waitFor();
        const faults = await faultsOf(watched, 'session-expiring');
        for (const { name, path, ready } of placesOf(world)) {
          await visit(page, path);
          await ready(page);
          faults.push(...(await faultsOf(watched, name)));
        }
        await page.goto(`${rig.service.httpOrigin}/sessions/${session.session_id}`);
        await page.getByText('The session reached its time limit').waitFor();
        faults.push(...(await faultsOf(watched, 'session-expired')));
        expect(faults).toEqual([]);
      },
      // The browser itself logs the status of the request for the nonexistent session.
      [/status of 404/],
    ));

  test('without the operator role', () =>
    rig.inPage(async (watched) => {
      const { page } = watched;
      const client = await newClient(rig.api);
      await signIn(page, client.key);
      const faults: string[] = [];
      for (const [name, path, text] of [
        ['sessions-none', '/sessions', 'No sessions yet'],
        ['apps-none', '/apps', 'No apps yet'],
        ['keys-past-end', '/keys?page=9', 'This page is empty'],
        ['operators-only', '/admin/audit', 'For operators only'],
      ] as const) {
        await page.getByRole('link', { name: 'Phones', exact: true }).waitFor();
        await visit(page, path);
        await page.getByRole('heading', { name: text }).waitFor();
        faults.push(...(await faultsOf(watched, name)));
      }
      expect(faults).toEqual([]);
    }));
});

describe('with the keyboard alone', () => {
  test('signs in, finds a phone, connects, uses it, extends and ends the session, with a visible focus everywhere', () =>
    rig.inPage(async ({ page }) => {
      const calls: { method: string; params: Record<string, unknown> }[] = [];
      page.on('websocket', (socket) => {
        if (!socket.url().includes('/control/')) return;
        socket.on('framesent', ({ payload }) => {
          if (typeof payload === 'string') calls.push(JSON.parse(payload));
        });
      });
      const { device } = await borrowConnected(rig.api).then(async (loan) => {
        await loan[Symbol.asyncDispose]();
        return loan;
      });
      const press = (...keys: string[]) =>
        keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());

      /** Moves to a button of the toolbar, which is one tab stop. */
      const toButton = async (name: string, key: 'Tab' | 'Shift+Tab' = 'Tab') => {
        const isInside = () =>
          page.evaluate(() => document.activeElement?.closest('[role=toolbar]') !== null);
        if (!(await isInside())) await tabTo(page, /^button (Back|Home|Volume up|Tools)$/, key);
        await until(`the button ${name}`, async () => {
          if ((await stopOf(page)).name === `button ${name}`) return true;
          await press('ArrowDown');
        });
      };

      await page.getByLabel('API key', { exact: true }).waitFor();
      await page.keyboard.type(rig.service.key);
      await press('Enter');
      await page.getByRole('article', { name: device.name }).getByText('Available').waitFor();
      await tabTo(page, /^input Search by name$/);
      await page.keyboard.type(device.name);
      await until('only that phone to be shown', async () => (await page.getByRole('article').count()) === 1);
      await tabTo(page, /^button Connect/);
      await press('Enter');
      await page.getByRole('dialog').getByText('Duration').waitFor();
      await tabTo(page, /^input 30 min$/);
      await press('ArrowLeft');
      expect(await page.getByLabel('15 min').isChecked()).toBe(true);
      await tabTo(page, /^button Connect$/);
      await press('Enter');
      const canvas = page.getByLabel(`Screen of ${device.name}`);
      await waitForVideo(canvas);

      await takesCommands(page);
      await toButton('Home');
      await press('Enter');
      await toButton('Volume up');
      await press('Space');
      await until(
        'both keys to be pressed',
        () => calls.filter(({ method }) => method === 'key').length === 2,
      );
      expect(calls.filter(({ method }) => method === 'key').map(({ params }) => params.key)).toEqual([
        'HOME',
        'VOLUME_UP',
      ]);

      await toButton('Tools');
      await press('Enter');
      await page.getByRole('tab', { name: 'Apps' }).waitFor();
      await tabTo(page, /^tab Apps$/);
      for (const [key, name] of [
        ['End', 'Device'],
        ['ArrowLeft', 'Captures'],
        ['ArrowLeft', 'Files'],
        ['ArrowLeft', 'Location'],
        ['ArrowLeft', 'Screen'],
      ] as const) {
        await press(key);
        // The focus moves after the key has been handled.
        await page.getByRole('tab', { name, selected: true }).waitFor();
      }
      await page.getByRole('button', { name: 'Swipe up to unlock' }).waitFor();
      const inTools = page.getByRole('tabpanel');
      /** Selects an entry with the arrow keys in the list that has the focus. */
      const choose = async (name: RegExp) => {
        await press('Home');
        await until(`${name} to appear in the list`, async () => {
          if (name.test((await stopOf(page)).name)) return true;
          await press('ArrowDown');
        });
      };
      await tabTo(page, /^button phone$/);
      await choose(/lock-screen$/);
      await tabTo(page, /^button Swipe up over it$/, 'Shift+Tab');
      await press('Enter');
      await inTools.getByRole('button', { name: /Settings$/ }).waitFor();
      await tabTo(page, /^button (phone|screen)/);
      await choose(/Settings$/);
      await tabTo(page, /^button Tap element$/, 'Shift+Tab');
      await press('Enter');
      await inTools
        .getByRole('button', { name: /Display/ })
        .first()
        .waitFor();

      await toButton('Type on the phone', 'Shift+Tab');
      await press('Enter');
      await page.getByText('Your typing goes to the phone.').waitFor();
      await press('Shift+Tab');
      await page.getByText('Click the phone to type on it.').waitFor();

      await tabTo(page, /^button Extend$/, 'Shift+Tab');
      await press('Enter');
      await tabTo(page, /^button Add/);
      await press('Enter');
      await page.getByText(/minutes added/).waitFor();
      await tabTo(page, /^button End session$/, 'Shift+Tab');
      await press('Enter');
      await page.getByRole('heading', { name: 'Session ended' }).waitFor();
      await tabTo(page, /^a Back to phones$/);
      await press('Enter');
      await page.getByRole('heading', { name: 'Phones', level: 1 }).waitFor();
    }));
});

describe('with forced colours', () => {
  test('outlines the focus, the selected item of a menu and the buttons', () =>
    rig.inPage(async ({ page, screenshot }) => {
      await page.emulateMedia({ forcedColors: 'active' });
      await signIn(page, rig.service.key);
      const style = (target: Locator) =>
        target.evaluate((element) => {
          const { outlineStyle, outlineWidth, borderTopStyle, borderTopWidth } = getComputedStyle(element);
          return {
            outline: `${outlineStyle} ${outlineWidth}`,
            border: `${borderTopStyle} ${borderTopWidth}`,
          };
        });
      const connect = page.getByRole('article').getByRole('button', { name: 'Connect' }).first();
      await connect.focus();
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.press('Tab');
      const eventually = { timeout: 60_000 };
      await expect
        .poll(() => style(connect), eventually)
        .toEqual({ outline: 'solid 2px', border: 'solid 1px' });
      await page.getByRole('button', { name: /^Account/ }).focus();
      await page.keyboard.press('Enter');
      await page.keyboard.press('End');
      // The focus moves after the key has been handled.
      const item = page.getByRole('menuitem', { name: 'Sign out' });
      await expect.poll(() => style(item), eventually).toMatchObject({ outline: 'solid 2px' });
      await screenshot('forced-colours');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Any phone' }).click();
      const submit = page.getByRole('dialog').getByRole('button', { name: 'Get a phone' });
      expect(await style(submit)).toMatchObject({ border: 'solid 1px' });
    }));
});

describe('resources of the browser', () => {
  test('the initial load is small, compressed and restricted by a policy without inline scripts', () =>
    rig.inPage(
      async ({ page }) => {
        const network = await page.context().newCDPSession(page);
        await network.send('Network.enable');
        await network.send('Network.setCacheDisabled', { cacheDisabled: true });
        const sent = new Map<string, number>();
        const scripts = new Set<string>();
        network.on('Network.responseReceived', ({ requestId, response, type }) => {
          if (type !== 'Script') return;
          scripts.add(requestId);
          expect(response.headers['content-encoding'], response.url).toMatch(/^(br|gzip)$/);
        });
        network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) =>
          sent.set(requestId, encodedDataLength),
        );
        await page.reload();
        await signIn(page, rig.service.key);
        await page.getByRole('article').first().waitFor();
        await until('all resources to be loaded', () => [...scripts].every((id) => sent.has(id)));
        const bytes = [...scripts].reduce((sum, id) => sum + sent.get(id)!, 0);
        expect(bytes).toBeGreaterThan(20_000);
        expect(bytes).toBeLessThan(FIRST_LOAD_BYTES);

        const answer = await page.reload();
        const policy = (await answer!.headerValue('content-security-policy'))!;
        expect(policy).toContain("default-src 'self'");
        expect(policy).toContain("object-src 'none'");
        expect(policy).toContain("frame-ancestors 'none'");
        expect(policy).not.toMatch(/unsafe-inline|unsafe-eval(?<!wasm-unsafe-eval)|\*|https?:/);
        const ran = await page.evaluate(() => {
          const script = document.createElement('script');
          script.textContent = 'document.title = "inline"';
          document.head.append(script);
          return document.title === 'inline';
        });
        expect(ran).toBe(false);
      },
      // The browser logs the inline script that the policy blocks.
      [/Executing inline script violates/, /Refused to execute inline script/],
    ));

  test('animates only for users without a preference for reduced motion', () =>
    rig.inPage(async ({ page }) => {
      await signIn(page, rig.service.key);
      await page.getByRole('article').first().waitFor();
      await page.evaluate(() =>
        document.addEventListener('animationstart', ({ target }) => {
          const { animationDuration } = getComputedStyle(target as Element);
          document.documentElement.dataset.started = String(1000 * Number.parseFloat(animationDuration));
        }),
      );
      /** Opens a dialog and returns the duration of its opening animation in ms. */
      const open = async () => {
        await page.evaluate(() => delete document.documentElement.dataset.started);
        await page.getByRole('button', { name: 'Any phone' }).click();
        const took = await until('an animation', () =>
          page.evaluate(() => document.documentElement.dataset.started),
        );
        await page.keyboard.press('Escape');
        return Number(took);
      };
      await page.emulateMedia({ reducedMotion: 'no-preference' });
      expect(await open()).toBeGreaterThan(100);
      await page.emulateMedia({ reducedMotion: 'reduce' });
      expect(await open()).toBeLessThan(1);
    }));

  test('keeps no secret where scripts can read it, and shares the session with other tabs until it ends', () =>
    rig.inPage(
      async ({ page }) => {
        const readable = () =>
          page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
        const openTab = async () => {
          const tab = await page.context().newPage();
          await tab.goto(rig.service.httpOrigin);
          return tab;
        };
        const sessionCookie = async () =>
          (await page.context().cookies()).find(({ name }) => name === 'phonebooth-session');
        await signIn(page, rig.service.key);
        await page.getByRole('article').first().waitFor();
        expect(await readable()).not.toContain('pb_');
        expect(await sessionCookie()).toMatchObject({ httpOnly: true, sameSite: 'Strict', expires: -1 });

        const other = await openTab();
        await other.getByRole('article').first().waitFor();
        await signOut(page);
        await page.getByLabel('API key', { exact: true }).waitFor();
        await other.getByLabel('API key', { exact: true }).waitFor();
        await until('the cookie to be deleted', async () => (await sessionCookie()) === undefined);

        await other.getByLabel('Stay signed in on this computer').check();
        await signIn(other, rig.service.key);
        await page.getByRole('article').first().waitFor();
        const { expires } = (await sessionCookie())!;
        expect(expires * 1000 - Date.now()).toBeGreaterThan(29 * DAY_MS);
        await page.goto(`${rig.service.httpOrigin}/keys`);
        const row = page.getByRole('row').filter({ hasText: 'This browser' });
        await row.getByText('This browser').first().waitFor();
        await row.getByText('Browser session').waitFor();
        await row.getByRole('button', { name: /Revoke/ }).click();
        await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click();
        await page.getByLabel('API key', { exact: true }).waitFor();
        await other.getByLabel('API key', { exact: true }).waitFor();
      },
      [/status of 401/],
    ));
});
