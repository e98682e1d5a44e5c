import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { borrow } from '../black-box/kit/borrow.ts';
import { until } from '../black-box/kit/wait.ts';
import {
  type ConsoleRig,
  changed,
  connectInPage,
  endSessionInPage,
  signIn,
  startConsole,
  takesCommands,
  tap,
  unlock,
  waitForVideo,
} from './console-kit.ts';

let rig: ConsoleRig;

beforeAll(async () => {
  rig = await startConsole();
});
afterAll(() => rig?.[Symbol.asyncDispose]());

/** Reads the remaining time that the page displays, in seconds. */
async function secondsLeft(page: Page): Promise<number> {
  const text = (await page.getByRole('timer').innerText()).replace('Time left', '').trim();
  return text.split(':').reduce((sum, part) => sum * 60 + Number(part), 0);
}

describe('the console', () => {
  test('explains that a key is invalid', () =>
    rig.inPage(
      async ({ page, screenshot }) => {
        await screenshot('sign-in');
        await signIn(page, `pb_${'A'.repeat(43)}`);
        const alert = page.getByRole('alert').filter({ hasText: /\S/ });
        await alert.waitFor();
        expect(await alert.innerText()).toMatch(/^[A-Z].*\.$/);
        await screenshot('wrong-key');
      },
      // The browser itself logs the status 401 of that one request.
      [/status of 401/],
    ));

  test('connects to a phone, shows its screen, accepts touches and text, extends and ends the session', () =>
    rig.inPage(async ({ page, screenshot }) => {
      await signIn(page, rig.service.key);
      await page.getByRole('article').nth(3).waitFor();
      expect(await page.getByRole('article').count()).toBe(4);
      await screenshot('devices');
      const { canvas, name } = await connectInPage(page, rig.api);
      await screenshot('session');

      const home = await unlock(page, canvas);
      await screenshot('swiped');
      await tap(canvas, [0.5, 0.81]);
      const browserApp = await changed(canvas, home);
      await screenshot('tapped');
      await tap(canvas, [0.55, 0.08]);
      const addressField = await changed(canvas, browserApp);
      await page.keyboard.type('hello phone');
      await changed(canvas, addressField, 0.001);
      await screenshot('typed');

      await page.getByText('Time left').waitFor();
      const before = await secondsLeft(page);
      expect(before).toBeGreaterThan(25 * 60);
      expect(before).toBeLessThanOrEqual(30 * 60);
      await until('the time left to decrease', async () => (await secondsLeft(page)) < before);
      await page.getByRole('button', { name: 'Extend' }).click();
      await screenshot('extend');
      await page
        .getByRole('dialog')
        .getByRole('button', { name: /^Add 15 minutes/ })
        .click();
      await until('the time left to increase', async () => (await secondsLeft(page)) > before + 10 * 60);

      await endSessionInPage(page);
      expect(await page.getByRole('main').innerText()).toContain(
        'You or another client of your account ended the session.',
      );
      await screenshot('ended');
      await page.getByRole('link', { name: 'Back to phones' }).click();
      await page.getByRole('article', { name }).waitFor();
    }));

  test('explains that the key was revoked when its session ends with it', () =>
    rig.inPage(async ({ page, screenshot }) => {
      const created = await rig.service.command('keys', 'create', '--account', 'default', '--json');
      const { key, id } = JSON.parse(created.stdout) as { key: string; id: string };
      const loan = await borrow(rig.api.withKey(key));
      await signIn(page, rig.service.key);
      await page.getByRole('article').first().waitFor();
      await page.goto(`${rig.service.httpOrigin}/sessions/${loan.session.session_id}`);
      await waitForVideo(page.getByLabel(`Screen of ${loan.device.name}`));
      await takesCommands(page);
      expect((await rig.service.command('keys', 'revoke', id)).code).toBe(0);
      await page.getByRole('heading', { name: 'Session ended' }).waitFor();
      expect(await page.getByRole('main').innerText()).toMatch(/API key was revoked.*“its key was revoked”/s);
      await screenshot('ended-by-operator');
    }));

  test('restores the session after a reload, in the phone’s orientation', () =>
    rig.inPage(async ({ page, screenshot }) => {
      await signIn(page, rig.service.key);
      const { canvas, name } = await connectInPage(page, rig.api);
      const box = (await canvas.boundingBox())!;
      expect(box.height).toBeGreaterThan(box.width);
      await page.getByRole('button', { name: 'Rotate' }).click();
      await until('the video to be rotated', async () => {
        const turned = (await canvas.boundingBox())!;
        return turned.width > turned.height;
      });
      await screenshot('rotated');
      await page.reload();
      const again = page.getByLabel(`Screen of ${name}`);
      await waitForVideo(again);
      await until('the rotated video', async () => {
        const turned = (await again.boundingBox())!;
        return turned.width > turned.height;
      });
      await screenshot('reloaded');
      await endSessionInPage(page);
    }));
});
