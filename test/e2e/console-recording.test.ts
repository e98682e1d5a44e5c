import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Download, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../black-box/kit/wait.ts';
import { difference, lookAtPng } from './browser.ts';
import { expectAccessible } from './console-checks.ts';
import {
  type ConsoleRig,
  connectInPage,
  endSessionInPage,
  openTools,
  settled,
  signIn,
  startConsole,
  swipeUp,
} from './console-kit.ts';

const run = promisify(execFile);
let rig: ConsoleRig;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phonebooth-recording-'));
  rig = await startConsole({ PHONEBOOTH_SIMULATED_PHONES: '2' });
});
afterAll(async () => {
  await rig?.[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

interface Video {
  path: string;
  name: string;
  width: number;
  height: number;
  seconds: number;
  /** Presentation time of each frame, in seconds. */
  times: number[];
}

/** Reads the properties of a downloaded file with ffprobe, and asserts that it decodes without errors. */
async function probe(download: Download, name: string): Promise<Video> {
  const path = join(folder, name);
  await download.saveAs(path);
  // By default ffmpeg rounds the times of the frames to a frame rate that it guesses, which can make two of them equal.
  const exact = ['-enc_time_base', '-1'];
  const { stderr: complaints } = await run('ffmpeg', [
    '-v',
    'error',
    '-i',
    path,
    ...exact,
    '-f',
    'null',
    '-',
  ]);
  expect(complaints).toBe('');
  const entries = 'format=duration:stream=codec_name,width,height:packet=pts_time';
  const { stdout } = await run('ffprobe', ['-v', 'error', '-show_entries', entries, '-of', 'json', path]);
  const { format, streams, packets } = JSON.parse(stdout);
  expect(streams).toHaveLength(1);
  expect(streams[0].codec_name).toBe('h264');
  const { width, height } = streams[0];
  const times = packets.map(({ pts_time }: { pts_time: string }) => Number(pts_time));
  return {
    path,
    name: download.suggestedFilename(),
    width,
    height,
    seconds: Number(format.duration),
    times,
  };
}

/** Extracts the first or the last frame of a video as PNG. */
async function frameOf({ path }: Video, which: 'first' | 'last'): Promise<Buffer> {
  const png = `${path}-${which}.png`;
  const only = which === 'first' ? ['-frames:v', '1'] : [];
  await run('ffmpeg', ['-v', 'error', '-i', path, ...only, '-update', '1', '-y', png]);
  return readFile(png);
}

/** Waits until the recording has reached this length. Returns its length. */
const recorded = (page: Page, seconds: number) =>
  until(`${seconds} s of a recording`, async () => {
    const shown = await page.getByText(/^Recording \d/).innerText();
    const [, minutes, rest] = /(\d+):(\d\d)/.exec(shown)!;
    const sum = Number(minutes) * 60 + Number(rest);
    return sum >= seconds && sum;
  });

/** Starts and stops a recording with its button, and runs `act` in between. Returns the downloaded files. */
async function record(page: Page, act: () => Promise<void>): Promise<Download[]> {
  const downloads: Download[] = [];
  page.on('download', (download) => downloads.push(download));
  await page.getByRole('button', { name: 'Record a video' }).click();
  await page.getByText(/^Recording \d/).waitFor();
  await act();
  await page.getByRole('button', { name: 'Stop recording' }).click();
  await page.getByText(/in your downloads/).waitFor();
  return downloads;
}

test('saves a recording as an MP4 with the duration of what the phone showed', () =>
  rig.inPage(async ({ page, screenshot }) => {
    await signIn(page, rig.service.key);
    const { canvas } = await connectInPage(page, rig.api);
    const begun = performance.now();
    const downloads = await record(page, async () => {
      await swipeUp(page, canvas);
      await recorded(page, 5);
      await screenshot('recording');
    });
    const took = (performance.now() - begun) / 1000;
    await settled(canvas);
    const seen = await canvas.screenshot();
    await until('the download', () => downloads.length === 1);
    const video = await probe(downloads[0]!, 'still.mp4');
    expect(video.name).toMatch(/-\d{4}(-\d\d){5}\.mp4$/);
    expect(video.times.length).toBeGreaterThan(2);
    expect(video.times[0]).toBe(0);
    expect(video.times).toEqual([...new Set(video.times)].sort((a, b) => a - b));
    // The phone was still for a while at the end. The video's length includes that time, and not only the timestamps
    // of its frames.
    expect(video.seconds).toBeGreaterThan(4.5);
    expect(video.seconds).toBeLessThan(took + 0.5);
    const size = await canvas.evaluate(({ width, height }: HTMLCanvasElement) => width / height);
    expect(video.width / video.height).toBeCloseTo(size, 1);
    const [first, last] = await Promise.all([frameOf(video, 'first'), frameOf(video, 'last')]);
    const onPage = await lookAtPng(page, seen);
    // The page scales the video and rounds its corners, so edges differ slightly.
    const off = difference(await lookAtPng(page, last), onPage);
    expect(off).toBeLessThan(0.1);
    expect(difference(await lookAtPng(page, first), onPage)).toBeGreaterThan(off * 2);

    await openTools(page);
    await page.getByRole('tab', { name: 'Captures' }).click();
    const gallery = page.getByRole('tabpanel');
    await page.getByRole('button', { name: 'Screenshot', exact: true }).click();
    await until('the screenshot in the gallery', async () => (await gallery.getByRole('img').count()) === 1);
    const playable = () =>
      page
        .locator('video')
        .evaluate((element: HTMLVideoElement) => element.readyState > 0 && element.duration > 4);
    await until('the recording to be playable', playable);
    await expectAccessible(page);
    await screenshot('captures');
    await endSessionInPage(page);
    await until('the recording to be playable after the end', playable);
    const image = page.getByRole('main').getByRole('img', { name: /\.png$/ });
    await until('the screenshot', () => image.evaluate((element: HTMLImageElement) => element.complete));
    expect(await image.evaluate((element: HTMLImageElement) => element.naturalWidth)).toBe(540);
    await expectAccessible(page);
    await screenshot('captures-ended');
  }));

test('starts a new file when the phone is rotated, and saves the files when the session ends', () =>
  rig.inPage(async ({ page }) => {
    await signIn(page, rig.service.key);
    const { canvas } = await connectInPage(page, rig.api);
    const downloads: Download[] = [];
    page.on('download', (download) => downloads.push(download));
    await page.getByRole('button', { name: 'Record a video' }).click();
    await recorded(page, 2);
    await page.getByRole('button', { name: 'Rotate' }).click();
    await until('the video to be rotated', async () => {
      const { width, height } = (await canvas.boundingBox())!;
      return width > height;
    });
    await recorded(page, 2 + (await recorded(page, 2)));
    const isSaid = page.getByText('2 videos are in your downloads').waitFor();
    await Promise.all([endSessionInPage(page), isSaid]);
    await until('both downloads', () => downloads.length === 2);
    const upright = await probe(downloads[0]!, 'upright.mp4');
    const turned = await probe(downloads[1]!, 'turned.mp4');
    expect(upright.height).toBeGreaterThan(upright.width);
    expect([turned.width, turned.height]).toEqual([upright.height, upright.width]);
    expect(turned.name).toBe(upright.name.replace('.mp4', '-2.mp4'));
    expect(upright.seconds).toBeGreaterThan(1);
    expect(turned.seconds).toBeGreaterThan(1);
  }));
