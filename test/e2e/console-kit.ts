import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { Api } from '../black-box/kit/api.ts';
import { type BorrowRequest, freeDevice } from '../black-box/kit/borrow.ts';
import { Description } from '../black-box/kit/description.ts';
import { unchanged, until } from '../black-box/kit/wait.ts';
import { type Service, startService } from '../fixtures/service.ts';
import {
  difference,
  type Evaluating,
  type Look,
  lookAt,
  lookAtCanvas,
  openPage,
  sharedChromium,
  type WatchedPage,
} from './browser.ts';

/** A service with simulated phones, and a browser for its console. */
export interface ConsoleRig extends AsyncDisposable {
  service: Service;
  api: Api;
  /** Runs a test in a new page, and fails if the page logs an error that the test does not expect. */
  inPage(run: (watched: WatchedPage) => Promise<void>, expected?: RegExp[]): Promise<void>;
}

/** @param settings environment variables of the service */
export async function startConsole(settings: Record<string, string> = {}): Promise<ConsoleRig> {
  const browser = await sharedChromium();
  const service = await startService({ settings });
  const description = await Description.fetch(service.baseUrl, undefined);
  return {
    service,
    api: new Api({ baseUrl: service.baseUrl, key: service.key, ca: undefined, description }),
    inPage: async (run, expected = []) => {
      const watched = await openPage(browser);
      try {
        await watched.page.goto(service.httpOrigin);
        await run(watched);
      } catch (error) {
        const screenshot = await watched.lastScreenshot();
        const problems = watched.problems.join('\n') || 'none';
        throw new Error(
          `the console test failed; see the screenshot ${screenshot}; errors of the page: ${problems}`,
          {
            cause: error,
          },
        );
      } finally {
        await watched.page.context().close();
      }
      const isExpected = (problem: string) => expected.some((pattern) => pattern.test(problem));
      expect(watched.problems.filter((problem) => !isExpected(problem))).toEqual([]);
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  };
}

export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key', { exact: true }).fill(key);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Opens the account menu and signs out. */
export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
}

/**
 * Connects to the first available phone through the page's own controls and waits for its video. `app` is the label
 * of the app to install.
 */
export async function connectInPage(
  page: Page,
  api: Api,
  { app }: { app?: string } = {},
): Promise<{ canvas: Locator; name: string }> {
  const { name } = await freeDevice(api);
  const card = page.getByRole('article', { name });
  await card.getByRole('button', { name: 'Connect' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Duration').waitFor();
  if (app) await dialog.getByLabel('App to install').selectOption({ label: app });
  await dialog.getByRole('button', { name: 'Connect' }).click();
  const canvas = page.getByLabel(`Screen of ${name}`);
  await waitForVideo(canvas);
  await page.getByText('Waiting for the video').waitFor({ state: 'hidden' });
  await takesCommands(page);
  return { canvas, name };
}

/**
 * Waits until the page can send commands. Video and commands use separate sockets, and the control socket may open
 * later. A socket that the page opens only after the end of its session is rejected, which the browser logs as an error.
 */
export async function takesCommands(page: Page): Promise<void> {
  const home = page.getByRole('button', { name: 'Home', exact: true });
  await until('the phone to accept commands', () => home.isEnabled());
}

/** Opens a page of the console as one of its links does, without loading the document again. */
export const follow = (page: Page, path: string): Promise<void> =>
  page.evaluate((to) => {
    history.pushState(null, '', to);
    dispatchEvent(new PopStateEvent('popstate'));
  }, path);

/** Opens the page of an existing session and waits for its video. */
export async function openSession(
  page: Page,
  { session, device }: Pick<BorrowRequest, 'session' | 'device'>,
): Promise<Locator> {
  await page.getByRole('article').first().waitFor();
  await follow(page, `/sessions/${session.session_id}`);
  const canvas = page.getByLabel(`Screen of ${device.name}`);
  await waitForVideo(canvas);
  return canvas;
}

/** Polling interval for screenshots, which are slow to take. */
const LOOK = { everyMs: 100 };

/** Waits until the page shows a phone's video on the canvas, and not only a message. */
export async function waitForVideo(canvas: Locator): Promise<void> {
  await canvas.waitFor();
  const isDrawn = async () => (await lookAtCanvas(canvas)).colours > 12;
  // The page may be about to reload itself
  const isReloading = (error: Error) => error.message.includes('Execution context was destroyed');
  await until('a frame on the canvas', () =>
    isDrawn().catch((error) => {
      if (!isReloading(error)) throw error;
    }),
  );
  await until('the phone’s video', async () => (await lookAt(canvas)).colours > 12, LOOK);
}

/** Opens the tools, unless they are open already, as they are from the start in a wide window. */
export async function openTools(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Tools', exact: true });
  if ((await button.getAttribute('aria-expanded')) !== 'true') await button.click();
}

/** Selects an item from the menu of rarely used actions. */
export async function chooseMore(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page
    .getByRole(/Statistics|Actual/.test(item) ? 'menuitemcheckbox' : 'menuitem', { name: item })
    .click();
}

export async function endSessionInPage(page: Page): Promise<void> {
  await takesCommands(page);
  await page.getByRole('button', { name: 'End session' }).click();
  await page.getByRole('heading', { name: 'Session ended' }).waitFor();
}

/** Waits until the screen differs from an earlier one by at least this share and then stays still. */
export async function changed(canvas: Evaluating, before: Look, share = 0.02): Promise<Look> {
  await until('the video to change', async () => difference(await lookAtCanvas(canvas), before) > share);
  return settled(canvas);
}

/** Longer than any gap that the path from the phone to the page can cause while the screen is moving. */
const STILL_MS = 600;

export const settled = (canvas: Evaluating): Promise<Look> =>
  unchanged('the video to stop changing', () => lookAtCanvas(canvas), {
    forMs: STILL_MS,
    isSame: (one, other) => difference(one, other) === 0,
  });

/** Swipes the lock screen away. Returns the resulting image. */
export async function unlock(page: Page, canvas: Locator): Promise<Look> {
  const locked = await settled(canvas);
  await swipeUp(page, canvas);
  return changed(canvas, locked, UNLOCKED_SHARE);
}

/** More than the change of the lock screen's clock at a new minute, and less than the change to the home screen. */
const UNLOCKED_SHARE = 0.05;

/** Swipes up as a user does to dismiss the lock screen. */
export const swipeUp = (page: Page, canvas: Locator) => drag(page, canvas, [0.5, 0.85], [0.5, 0.2]);

/** Drags between two points, given as fractions of the element. */
export async function drag(
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

/** Taps a point, given as fractions of the element. */
export async function tap(canvas: Locator, [x, y]: [number, number]): Promise<void> {
  const { width, height } = (await canvas.boundingBox())!;
  await canvas.hover({ position: { x: x * width, y: y * height } });
  // Both run concurrently, because otherwise a busy machine would turn the tap into a long press.
  const { mouse } = canvas.page();
  await Promise.all([mouse.down(), mouse.up()]);
}

/** Records the commands that the page sends to the phone from now on. */
export function commandsSent(page: Page): { method: string; params: Record<string, unknown> }[] {
  const calls: { method: string; params: Record<string, unknown> }[] = [];
  page.on('websocket', (socket) => {
    if (!socket.url().includes('/control/')) return;
    socket.on('framesent', ({ payload }) => {
      if (typeof payload === 'string') calls.push(JSON.parse(payload));
    });
  });
  return calls;
}
