import { readFile } from 'node:fs/promises';
import type { Download, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freeDevice } from '../black-box/kit/borrow.ts';
import { until } from '../black-box/kit/wait.ts';
import { difference, lookAtCanvas } from './browser.ts';
import { expectAccessible, NARROW } from './console-checks.ts';
import {
  type ConsoleRig,
  endSessionInPage,
  signIn,
  startConsole,
  takesCommands,
  unlock,
  waitForVideo,
} from './console-kit.ts';

/** The host uploads a recording after the session, while the machine is busy with other tests. */
const LONG = { deadlineMs: 120_000 };

let rig: ConsoleRig;

beforeAll(async () => {
  rig = await startConsole({ PHONEBOOTH_SIMULATED_PHONES: '1' });
});
afterAll(() => rig?.[Symbol.asyncDispose]());

/** Connects with a recording, unlocks the phone, takes a screenshot, turns the phone, and ends the session. */
async function recordSession(page: Page): Promise<string> {
  const { name } = await freeDevice(rig.api);
  await page.getByRole('article', { name }).getByRole('button', { name: 'Connect' }).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByLabel('Include typed text').count()).toBe(0);
  await dialog.getByLabel('Record the session').check();
  await dialog.getByLabel('Include typed text').waitFor();
  await dialog.getByRole('button', { name: 'Connect' }).click();
  const canvas = page.getByLabel(`Screen of ${name}`);
  await waitForVideo(canvas);
  await takesCommands(page);
  await page.getByText('Recorded', { exact: true }).waitFor();
  await unlock(page, canvas);
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Screenshot', exact: true }).click();
  await saved;
  await page.getByRole('button', { name: 'Rotate' }).click();
  await until('the video to be rotated', async () => {
    const { width, height } = (await canvas.boundingBox())!;
    return width > height;
  });
  await endSessionInPage(page);
  return name;
}

/** The video of the current time. The next one is loaded, but not visible. */
const videoOf = (page: Page): Locator => page.locator('video:visible');

/** Waits until the video shows the frame of the position of the page. */
const shown = (page: Page) =>
  until('the frame of the position', () =>
    videoOf(page).evaluate((video: HTMLVideoElement) => video.readyState >= 2 && !video.seeking),
  );

const secondsOf = (page: Page): Promise<number> =>
  videoOf(page).evaluate((video: HTMLVideoElement) => video.currentTime);

test('replays a recorded session, finds what happened in it, and downloads and deletes it', () =>
  rig.inPage(async ({ page, screenshot }) => {
    await signIn(page, rig.service.key);
    const name = await recordSession(page);
    const link = page.getByRole('link', { name: 'Replay' });
    await until('the recording to be processed', async () => (await link.count()) > 0, LONG);
    await link.click();
    await page.getByRole('heading', { name: `Replay of ${name}` }).waitFor();

    const slider = page.getByRole('slider', { name: 'Position' });
    const list = page.getByRole('listbox', { name: 'Commands' });
    const entry = (title: string) => list.getByRole('option').filter({ hasText: title }).first();
    const isCurrent = (title: string) =>
      until(
        `${title} to be the current entry`,
        async () => (await entry(title).getAttribute('aria-selected')) === 'true',
      );
    await entry('Recording started').waitFor();
    await shown(page);
    const locked = await lookAtCanvas(videoOf(page));

    // Choosing an entry seeks to its time.
    await entry('Screenshot').click();
    await isCurrent('Screenshot');
    await until('the video to seek', async () => (await secondsOf(page)) > 0.5);
    await shown(page);
    expect(difference(await lookAtCanvas(videoOf(page)), locked)).toBeGreaterThan(0.1);
    expect(Number(await slider.getAttribute('aria-valuenow'))).toBeGreaterThan(0);
    await expectAccessible(page);
    await screenshot('replay');

    // The pointer on a tick of the timeline shows what happened there.
    const path = (await page.locator('path[data-ticks=rotation]').getAttribute('d'))!;
    const share = Number(/^M(\d+) /.exec(path)![1]) / 1000;
    await slider.hover({ position: { x: share * (await slider.boundingBox())!.width - 2, y: 16 } });
    await page.getByRole('tooltip').getByText('Rotation').waitFor();

    // The timeline and the keys seek too, also back to another video.
    await entry('Rotation').click();
    await until('the rotated video', () =>
      videoOf(page).evaluate(({ videoWidth, videoHeight }: HTMLVideoElement) => videoWidth > videoHeight),
    );
    await slider.click({ position: { x: 1, y: 16 } });
    await until('the start', async () => (await slider.getAttribute('aria-valuenow')) === '0');
    await shown(page);
    expect(difference(await lookAtCanvas(videoOf(page)), locked)).toBeLessThan(0.05);
    await page.keyboard.press('End');
    const end = await slider.getAttribute('aria-valuemax');
    await until('the end', async () => (await slider.getAttribute('aria-valuenow')) === end);

    // From the end it plays from the start.
    await page.keyboard.press('Home');
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    await until('the video to play', async () => (await secondsOf(page)) > 0.2);
    await page.keyboard.press('Space');
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor();

    await page.getByLabel('Filter by text').fill('ROTATION');
    await until('one entry', async () => (await list.getByRole('option').count()) === 1);
    await page.getByLabel('Kind').selectOption('Marks');
    await page.getByText('No entries match the filter.').waitFor();

    await page.getByRole('tab', { name: 'Log' }).click();
    await page.getByRole('listbox', { name: 'Log' }).getByRole('option').first().waitFor();
    await page.getByRole('tab', { name: 'Screenshots' }).click();
    const image = page.getByRole('img', { name: /^Screenshot at/ });
    await until('the screenshot', () =>
      image.evaluate(({ naturalWidth }: HTMLImageElement) => naturalWidth > 0),
    );
    await downloads(page);
    await shareWithLink(page, name);

    await page.setViewportSize(NARROW);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Delete recording…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('heading', { name: 'The recording was deleted' }).waitFor();
  }));

/** Opens a link in a browser without a key, and revokes it. */
async function shareWithLink(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Share…' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Create link' }).click();
  const address = dialog.getByLabel('Link to the recording');
  await until('the address to have the focus', () =>
    address.evaluate((field) => field === document.activeElement),
  );
  const link = await address.inputValue();
  await rig.inPage(
    async ({ page: viewer }) => {
      await viewer.goto(link);
      await viewer.getByRole('heading', { name: `Replay of ${name}` }).waitFor();
      await viewer.getByRole('listbox', { name: 'Commands' }).getByRole('option').first().waitFor();
      expect(await viewer.getByRole('button', { name: 'Share…' }).count()).toBe(0);
      await shown(viewer);
      await viewer.keyboard.press('Space');
      await until('the video to play', async () => (await secondsOf(viewer)) > 0.2);
      await viewer.setViewportSize(NARROW);
      await expectAccessible(viewer);
      await dialog.getByRole('button', { name: /^Revoke/ }).click();
      await dialog.getByText('Revoked', { exact: true }).waitFor();
      await viewer.reload();
      await viewer.getByRole('heading', { name: 'This link no longer works' }).waitFor();
      await expectAccessible(viewer);
    },
    [/status of 401/],
  );
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
}

/** Downloads one file, and then all of them. */
async function downloads(page: Page): Promise<void> {
  await page.getByRole('tab', { name: 'Files' }).click();
  const files = page.getByRole('list', { name: 'Files of the recording' }).getByRole('listitem');
  const [one] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download events.jsonl' }).click(),
  ]);
  const lines = (await readFile(await one.path(), 'utf8')).trimEnd().split('\n');
  expect(lines.map((line) => JSON.parse(line).type)).toEqual(
    expect.arrayContaining(['started', 'touch', 'rotation', 'screenshot', 'stopped']),
  );
  const all: Download[] = [];
  page.on('download', (download) => all.push(download));
  await page.getByRole('button', { name: 'Download all' }).click();
  const count = await files.count();
  expect(count).toBeGreaterThan(4);
  await until('all downloads', () => all.length === count);
  const video = all.find((download) => download.suggestedFilename().includes('video-1.mp4'));
  expect((await readFile(await video!.path())).subarray(4, 8).toString()).toBe('ftyp');
}
