import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { succeeded } from '../black-box/kit/api.ts';
import { borrowConnected } from '../black-box/kit/borrow.ts';
import { until } from '../black-box/kit/wait.ts';
import { difference, lookAtCanvas } from './browser.ts';
import { expectAccessible, isSideways } from './console-checks.ts';
import {
  type ConsoleRig,
  changed,
  commandsSent,
  connectInPage,
  endSessionInPage,
  follow,
  openSession,
  settled,
  signIn,
  startConsole,
  swipeUp,
  takesCommands,
  waitForVideo,
} from './console-kit.ts';

let rig: ConsoleRig;

beforeAll(async () => {
  rig = await startConsole({ PHONEBOOTH_SIMULATED_PHONES: '3' });
});
afterAll(() => rig?.[Symbol.asyncDispose]());

describe('the connection of the session page', () => {
  test('keeps the last frame while the stream is cut, dimmed and with one status, and recovers', () =>
    rig.inPage(async ({ page, screenshot }) => {
      const sockets = new Set<{ close(options: { code: number }): Promise<void> }>();
      let isCut = false;
      await page.routeWebSocket(/\/stream\//, (socket) => {
        if (isCut) return void socket.close({ code: 1012 });
        sockets.add(socket);
        socket.connectToServer();
      });
      await signIn(page, rig.service.key);
      const { canvas } = await connectInPage(page, rig.api);
      const before = await settled(canvas);
      isCut = true;
      for (const socket of sockets) await socket.close({ code: 1012 });
      await page.getByText('Connection lost. Reconnecting…').waitFor();
      // The next connection draws at another size.
      await page.setViewportSize({ width: 1100, height: 700 });
      await page.getByText(/^This frame is ([2-9]|\d\d+) s old\.$/).waitFor();
      expect(difference(await lookAtCanvas(canvas), before)).toBeLessThan(0.5);
      expect((await lookAtCanvas(canvas)).colours).toBeGreaterThan(12);
      const opacity = () => canvas.evaluate((element) => Number(getComputedStyle(element).opacity));
      await until('the video to be dimmed', async () => (await opacity()) < 0.5);
      await screenshot('connection-lost');
      isCut = false;
      await page.getByText('Connection lost. Reconnecting…').waitFor({ state: 'hidden' });
      await until('the video to be bright', async () => (await opacity()) === 1);
      await endSessionInPage(page);
    }));

  test('names the client that took control, stops typing, and names a phone in maintenance', () =>
    rig.inPage(
      async ({ page, screenshot }) => {
        await using loan = await borrowConnected(rig.api);
        const { key } = succeeded(
          await rig.api.post<{ key: string }>('/keys', { name: 'build server', role: 'user' }),
        );
        const path = `/sessions/${loan.session.session_id}`;
        const other = succeeded(await rig.api.withKey(key).get<{ control_url: string }>(path));
        const take = (url: string) =>
          page.evaluate((path) => {
            new WebSocket(location.origin.replace('http', 'ws') + path);
          }, new URL(url).pathname);
        await signIn(page, rig.service.key);
        const canvas = await openSession(page, loan);
        await takesCommands(page);
        await canvas.click({ position: { x: 5, y: 200 } });
        await page.getByText('Your typing goes to the phone.').waitFor();
        await take(other.control_url);
        const notice = page.getByRole('status').filter({ hasText: 'build server has control.' });
        const place = await canvas.boundingBox();
        await notice.waitFor();
        expect(await canvas.boundingBox(), 'a notice does not move the phone').toEqual(place);
        // The page may release the keyboard only after it has shown the notice.
        await page.getByText('Your typing goes to the phone.').waitFor({ state: 'hidden' });
        expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe('TEXTAREA');
        await screenshot('taken-over');
        await notice.getByRole('button', { name: 'Take control back' }).click();
        await takesCommands(page);
        const own = await page.evaluate(
          (url) => fetch(url).then(async (response) => (await response.json()).data.control_url as string),
          `/v1${path}`,
        );
        await take(own);
        await page.getByText('Another window or program of yours has control.').waitFor();

        const device = `/admin/devices/${loan.device.id}`;
        succeeded(await rig.api.request('PATCH', device, { body: { maintenance: true } }));
        await loan[Symbol.asyncDispose]();
        await page.getByRole('heading', { name: 'Session ended' }).waitFor();
        await page.getByRole('link', { name: 'All sessions' }).click();
        const newest = page.getByRole('row').nth(1);
        expect(await newest.getByRole('link').first().innerText()).toBe(loan.device.name);
        succeeded(await rig.api.request('PATCH', device, { body: { maintenance: false } }));
      },
      // The page reads the phone again when it enters maintenance and is no longer listed.
      [/status of 404/],
    ));

  test('pauses all input while the connection does not respond', () =>
    rig.inPage(
      async ({ page, screenshot }) => {
        let isFrozen = false;
        const sent: string[] = [];
        await page.routeWebSocket(/\/control\//, (socket) => {
          const server = socket.connectToServer();
          socket.onMessage((message) => {
            if (!isFrozen) return server.send(message);
            const text = String(message);
            if (!text.includes('session.ping')) sent.push(text);
          });
          server.onMessage((message) => {
            if (!isFrozen) socket.send(message);
          });
        });
        await signIn(page, rig.service.key);
        const { canvas } = await connectInPage(page, rig.api);
        await canvas.click({ position: { x: 5, y: 200 } });
        await page.getByText('Your typing goes to the phone.').waitFor();
        isFrozen = true;
        await page.getByText('The connection does not respond').waitFor();
        await page.getByText('Input is paused. Your session continues.').waitFor();
        expect(await page.getByText('Your typing goes to the phone.').count()).toBe(0);
        await screenshot('connection-frozen');
        sent.length = 0;
        await page.keyboard.type('lost');
        await canvas.click({ position: { x: 5, y: 200 } });
        expect(await page.getByRole('button', { name: 'Home', exact: true }).isDisabled()).toBe(true);
        expect(sent).toEqual([]);
        isFrozen = false;
        await takesCommands(page);
        await page.getByText('The connection does not respond').waitFor({ state: 'hidden' });
        await page.getByText('Your typing goes to the phone.').waitFor();
        await endSessionInPage(page);
      },
      // Playwright forwards the messages of a routed socket later, when the service may have closed the socket.
      [/WebSocket is already in CLOSING or CLOSED state/],
    ));
});

describe('the wall of phones', () => {
  test('shows phones side by side, controls them individually, and streams only the visible ones', () =>
    rig.inPage(async ({ page, screenshot }) => {
      const calls = commandsSent(page);
      const streams = new Set<string>();
      page.on('websocket', (socket) => {
        if (!socket.url().includes('/stream/')) return;
        streams.add(socket.url());
        socket.on('close', () => streams.delete(socket.url()));
      });
      await using one = await borrowConnected(rig.api);
      await using other = await borrowConnected(rig.api);
      await signIn(page, rig.service.key);
      await page.getByRole('article').first().waitFor();
      await follow(page, '/wall');
      const [first, second] = [one, other].map(({ device }) => ({
        tile: page.getByRole('article', { name: `Phone ${device.name}` }),
        canvas: page.getByLabel(`Screen of ${device.name}`),
      }));
      for (const { canvas } of [first!, second!]) await waitForVideo(canvas);
      await expectAccessible(page);
      await screenshot('wall');
      expect(calls).toEqual([]);

      const untouched = await settled(second!.canvas);
      const before = await settled(first!.canvas);
      await first!.tile.getByRole('button', { name: /^Control/ }).click();
      await first!.tile.getByRole('button', { name: 'Home', exact: true }).click();
      await swipeUp(page, first!.canvas);
      const unlocked = difference(await changed(first!.canvas, before), before);
      // The clock on its screen may have changed.
      expect(difference(await settled(second!.canvas), untouched)).toBeLessThan(unlocked / 4);

      const mirror = page.getByRole('button', { name: 'Mirror input' });
      await mirror.click();
      await page.getByText('What you do on one phone happens on all 2.').waitFor();
      const keys = () =>
        calls.filter(({ method, params }) => method === 'key' && params.key === 'APP_SWITCH');
      await first!.tile.getByRole('button', { name: 'App switcher' }).click();
      await until('the key on both phones', () => keys().length === 2);
      await expectAccessible(page);
      await screenshot('wall-mirror');
      await first!.tile.getByRole('button', { name: 'Rotate' }).click();
      await page.getByText('Mirroring stopped, because the phones have different orientations.').waitFor();
      await first!.tile.getByRole('button', { name: 'App switcher' }).click();
      await until('the key on one phone', () => keys().length === 3);
      const height = async () => (await first!.tile.boundingBox())!.height;
      const usual = await height();
      await page.getByRole('slider', { name: 'Size of the phones' }).press('Home');
      await until('smaller phones', async () => (await height()) < usual);
      await page.getByLabel('Fit to height').check();
      const room = await page.getByRole('main').evaluate(({ clientHeight }) => clientHeight);
      await until('phones as high as the window', async () => (await height()) > room - 60);
      expect(await height()).toBeLessThanOrEqual(room);

      await page.setViewportSize({ width: 360, height: 640 });
      expect(await isSideways(page)).toBe(false);
      await until('only the visible phone to be streamed', () => streams.size === 1);
      const [above] = streams;
      await page.getByRole('article').last().scrollIntoViewIfNeeded();
      await until('only the other phone to be streamed', () => streams.size === 1 && !streams.has(above!));
      await page
        .getByRole('article')
        .last()
        .getByText('Paused while not visible')
        .waitFor({ state: 'hidden' });
      await screenshot('wall-narrow');
    }));
});
