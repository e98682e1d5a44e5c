import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { succeeded } from '../black-box/kit/api.ts';
import { borrowConnected } from '../black-box/kit/borrow.ts';
import { promised } from '../nightly.ts';
import { difference, lookAt } from './browser.ts';
import { expectAccessible, expectWhole, LOW, NARROW, WIDE } from './console-checks.ts';
import {
  type ConsoleRig,
  chooseMore,
  connectInPage,
  endSessionInPage,
  follow,
  settled,
  signIn,
  startConsole,
  swipeUp,
  unlock,
  waitForVideo,
} from './console-kit.ts';

let rig: ConsoleRig;

beforeAll(async () => {
  rig = await startConsole({ PHONEBOOTH_SIMULATED_PHONES: '2' });
});
afterAll(() => rig?.[Symbol.asyncDispose]());

/** Resolves when these words are visible and cover neither a phone nor a button. */
const uncoveredToast = (page: Page, words: string) =>
  page.waitForFunction((text) => {
    const showsText = ({ textContent }: Element) => textContent?.includes(text);
    const own = [...document.querySelectorAll('[role=status] > div')]
      .find(showsText)
      ?.getBoundingClientRect();
    const used = [...document.querySelectorAll('canvas, header button, header a, [role=toolbar] button')];
    const isUnder = (box: DOMRect) =>
      own!.left < box.right && box.left < own!.right && own!.top < box.bottom && box.top < own!.bottom;
    return own && used.length > 5 && !used.some((element) => isUnder(element.getBoundingClientRect()));
  }, words);

test('a watch link shows the phone without a key and without control until the session ends', () =>
  rig.inPage(async ({ page, screenshot }) => {
    const origin = rig.service.httpOrigin;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
    await signIn(page, rig.service.key);
    const { canvas, name } = await connectInPage(page, rig.api);
    const dialog = page.getByRole('dialog', { name: 'Share to watch' });
    for (const viewport of [NARROW, WIDE]) {
      await page.setViewportSize(viewport);
      await chooseMore(page, 'Share to watch…');
      await dialog.getByText(/^Anyone with a watch link sees the phone’s screen, .* at \d\d:\d\d/).waitFor();
      await dialog.getByRole('button', { name: 'Create link' }).click();
      await dialog.getByRole('button', { name: 'Copy link' }).waitFor();
      await expectAccessible(page);
      await screenshot(`share-${viewport.width}`);
      // The wait starts before the message appears, because the message is only visible briefly
      const text = uncoveredToast(page, 'Link copied.');
      await Promise.all([text, dialog.getByRole('button', { name: 'Copy link' }).click()]);
      await screenshot(`copied-${viewport.width}`);
    }
    const link = await page.evaluate(() => navigator.clipboard.readText());
    const [, token] = /%2Fstream%2F([\w.-]+)%2F/.exec(link)!;
    expect(token!.length).toBeGreaterThan(20);

    await rig.inPage(async ({ page: other, screenshot }) => {
      const asked: string[] = [];
      other.on('request', (request) => asked.push(`${request.url()} ${JSON.stringify(request.headers())}`));
      const sockets: string[] = [];
      other.on('websocket', (socket) => sockets.push(socket.url()));
      await other.goto(link);
      const watched = other.getByLabel(`Screen of ${name}`);
      await waitForVideo(watched);
      await other.getByText('Live', { exact: true }).waitFor();
      await expectAccessible(other);
      await screenshot('watch');
      expect(asked.length).toBeGreaterThan(1);
      expect(asked.filter((request) => request.includes(token!))).toEqual([]);
      expect(await other.evaluate(() => [sessionStorage.length, localStorage.length])).toEqual([0, 0]);

      const before = await settled(canvas);
      await swipeUp(other, watched);
      const after = await settled(canvas);
      expect(sockets.every((url) => url.includes('/stream/'))).toBe(true);
      // The clock on the screen may have changed.
      expect(difference(after, before)).toBeLessThan(difference(await unlock(page, canvas), after) / 4);

      const end = page.getByRole('button', { name: 'End session' });
      const question = page.getByRole('dialog', { name: 'End this session?' });
      await end.click();
      await question.getByText('The session is shared with 2 watch links.').waitFor();
      await expectAccessible(page);
      await question.getByRole('button', { name: 'Cancel' }).click();
      await question.waitFor({ state: 'hidden' });
      await end.click();
      await question.getByRole('button', { name: 'End session' }).click();
      await page.getByRole('heading', { name: 'Session ended' }).waitFor();
      await other.getByRole('heading', { name: 'The session has ended' }).waitFor();
      expect(await other.getByRole('main').innerText()).toContain('A client ended the session.');
      await screenshot('watch-ended');
    });
  }));

test('a watch link is listed, and can be revoked without ending the session', () =>
  rig.inPage(async ({ page, screenshot }) => {
    await signIn(page, rig.service.key);
    await connectInPage(page, rig.api);
    const dialog = page.getByRole('dialog', { name: 'Share to watch' });
    await chooseMore(page, 'Share to watch…');
    await dialog.getByRole('button', { name: 'Create link' }).click();
    const link = await dialog.getByLabel('Watch link', { exact: true }).inputValue();
    await rig.inPage(
      async ({ page: other }) => {
        // Whichever host a link names, its page connects only to this service
        await other.goto(link.replace(/stream=wss%3A%2F%2F[^%]+/, 'stream=wss%3A%2F%2Fevil.example'));
        await other.getByText('Live', { exact: true }).waitFor();
        const links = dialog.getByRole('region', { name: 'Watch links of this session' });
        await links.getByText(/^Created at .* by bootstrap$/).waitFor();
        for (const viewport of [NARROW, LOW]) {
          await page.setViewportSize(viewport);
          await expectWhole(dialog);
          await screenshot(`share-list-${viewport.width}`);
        }
        const closed = other.getByRole('heading', { name: 'You can no longer watch this phone' });
        await links.getByRole('button', { name: /^Revoke: Created at/ }).click();
        await links.getByText('Revoked', { exact: true }).waitFor();
        await closed.waitFor({ timeout: promised(5_000) });
        // The addresses of the revoked link are no longer shown.
        await dialog.getByRole('button', { name: 'Create link' }).waitFor();
        expect(await dialog.getByLabel('Watch link', { exact: true }).count()).toBe(0);
        expect(await other.getByRole('main').innerText()).toContain('the link was revoked');
        await other.reload();
        await other.getByRole('heading', { name: 'There is nothing to watch' }).waitFor();
      },
      [/WebSocket connection to .* failed/],
    );
    await screenshot('share-revoked');
    await page.keyboard.press('Escape');
    await endSessionInPage(page);
  }));

test('a viewer’s key watches sessions of its account with the time left, and returns to the list', () =>
  rig.inPage(async ({ page, screenshot }) => {
    const options = ['--account', 'default', '--role', 'viewer'];
    const { stdout } = await rig.service.command('keys', 'create', '--json', ...options);
    await using loan = await borrowConnected(rig.api, { duration: 20 });
    await signIn(page, JSON.parse(stdout).key);
    await page.getByRole('link', { name: new RegExp(`${loan.device.name}.*Watch`) }).click();
    await waitForVideo(page.getByLabel(`Screen of ${loan.device.name}`));
    expect(await page.getByRole('timer').innerText()).toMatch(/Time left\s+(19|20):\d\d/);
    expect(await page.getByRole('button', { name: 'End session' }).count()).toBe(0);
    await expectAccessible(page);
    await screenshot('viewer');
    await page.getByRole('link', { name: 'Phones' }).click();
    await page.getByRole('heading', { name: 'Phones', exact: true }).waitFor();
  }));

test('explains an expired watch link and an incomplete one', () =>
  rig.inPage(
    async ({ page, screenshot }) => {
      const loan = await borrowConnected(rig.api);
      await loan[Symbol.asyncDispose]();
      const stream = encodeURIComponent(loan.session.stream_url);
      await page.goto(`${rig.service.httpOrigin}/watch#name=Pixel&stream=${stream}`);
      await page.getByRole('heading', { name: 'There is nothing to watch' }).waitFor();
      expect(await page.getByRole('main').innerText()).toMatch(/The session has ended, .* Ask the sender/);
      await screenshot('watch-refused');
      await page.goto(`${rig.service.httpOrigin}/watch#stream=wss%3A%2F%2Flocalhost%2Fstream%2Fhalf`);
      await page.getByRole('heading', { name: 'This is not a valid watch link' }).waitFor();
      expect(await page.locator('canvas').count()).toBe(0);
      await screenshot('watch-broken');
      expect((await lookAt(page.locator('body'))).colours).toBeGreaterThan(1);
    },
    // The browser itself logs the rejected socket.
    [/WebSocket connection to .* failed/],
  ));

test('the commands of a WebDriver client are listed beside the screen, for its owner and for viewers', async () => {
  const webDriver = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${rig.service.httpOrigin}/wd/hub/session${path}`, {
      ...{ method, headers: { authorization: `Bearer ${rig.service.key}` } },
      ...(body && { body: JSON.stringify(body) }),
    });
    return ((await response.json()) as { value: { sessionId: string } }).value;
  };
  const alwaysMatch = { 'appium:newCommandTimeout': 0, 'phonebooth:options': { wait: 120 } };
  const { sessionId } = await webDriver('POST', '', { capabilities: { alwaysMatch } });
  await webDriver('POST', `/${sessionId}/element`, { using: 'id', value: 'nothing' });
  const viewer = succeeded(await rig.api.post<{ key: string }>('/keys', { name: 'tv', role: 'viewer' })).key;
  for (const key of [rig.service.key, viewer])
    await rig.inPage(async ({ page, screenshot }) => {
      await signIn(page, key);
      await page.getByRole('article').first().waitFor();
      await follow(page, `/sessions/${sessionId}`);
      await waitForVideo(page.getByLabel(/^Screen of /));
      const panel = page.getByRole('complementary', { name: 'WebDriver commands' });
      await panel.getByText('no such element').waitFor();
      await webDriver('POST', `/${sessionId}/execute/sync`, {
        script: 'mobile: pressKey',
        args: [{ keycode: 3 }],
      });
      await panel.getByText('mobile: pressKey').first().waitFor();
      for (const viewport of [WIDE, LOW, NARROW]) {
        await page.setViewportSize(viewport);
        await expectAccessible(page);
        await screenshot(`webdriver-${key === viewer ? 'viewer' : 'owner'}-${viewport.width}`);
        await page.emulateMedia({ colorScheme: 'dark' });
        await screenshot(`webdriver-${key === viewer ? 'viewer' : 'owner'}-${viewport.width}-dark`);
        await page.emulateMedia({ colorScheme: 'light' });
      }
    });
  await webDriver('DELETE', `/${sessionId}`);
});
