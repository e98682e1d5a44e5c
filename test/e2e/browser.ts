import { accessSync, constants } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { keptOpen } from '../kept-open.ts';
import { isNightly } from '../nightly.ts';

/** Paths of Debian's Chromium and of the one that playwright downloads. */
const PLACES = ['/usr/bin/chromium', chromium.executablePath()];
/**
 * Debian's headless shell: the same engine without the user interface of the browser. It takes half of the processor
 * time to open a page, so `npm test` uses it if it is installed. The nightly run uses the browser of users.
 */
const SHELL = '/usr/lib/chromium/chromium-headless-shell';

// The last four arguments prevent connections to anything except the page.
const ARGUMENTS = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** An existing folder for screenshots of every page. Without this setting, no screenshots are taken. */
const ALBUM = process.env.PHONEBOOTH_TEST_SCREENSHOTS;

/** A page that records every error in it. */
export interface WatchedPage {
  page: Page;
  /** Console messages of level `error`, and uncaught errors. */
  problems: string[];
  /** Saves a screenshot under this name for manual review. Does nothing unless the run asked for screenshots. */
  screenshot(name: string): Promise<void>;
  /** Saves a screenshot after a failed test and returns the path of the file. */
  lastScreenshot(): Promise<string>;
}

let browser: Promise<Browser> | undefined;

/**
 * Returns the Chromium of this process, and launches it if it is not running. It is shared by all test files that run
 * in the process, each page in a context of its own, and ends with the process.
 * @throws Error that says what to install if Chromium is missing
 */
export async function sharedChromium(): Promise<Browser> {
  const current = await browser?.catch(() => undefined);
  if (current?.isConnected()) return current;
  browser = keptOpen(() => launch(isNightly ? PLACES : [SHELL, ...PLACES]));
  return browser;
}

/** Launches a Chromium that the caller closes. */
export const launchChromium = () => launch(PLACES);

function launch(places: readonly string[]): Promise<Browser> {
  return chromium.launch({
    executablePath: findChromium(places),
    // Playwright's own option would select the headless shell, which it does not find in Debian's folder.
    headless: false,
    args: ARGUMENTS,
    timeout: 60_000,
  });
}

export async function openPage(browser: Browser): Promise<WatchedPage> {
  // Elements that are being animated do not have their final colours and positions.
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(120_000);
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  return {
    page,
    problems,
    screenshot: async (name) => {
      if (ALBUM) await page.screenshot({ path: join(ALBUM, `${name}.png`) });
    },
    lastScreenshot: async () => {
      const path = join(await mkdtemp(join(tmpdir(), 'phonebooth-failed-')), 'page.png');
      await page.screenshot({ path });
      return path;
    },
  };
}

/** The appearance of an element, as RGBA pixels on a coarse grid. */
export interface Look {
  pixels: Uint8Array;
  /** Number of distinct colours, compared by the upper four bits of each component. */
  colours: number;
}

const GRID = { width: 72, height: 144 };

/** An element of a page in any browser, with which a function can be called in that page. */
export interface Evaluating {
  evaluate(
    read: (element: HTMLElement | SVGElement, grid: typeof GRID) => string,
    grid: typeof GRID,
  ): Promise<string>;
}

/** Takes a screenshot of the element and lets the browser decode it. */
export async function lookAt(element: Locator): Promise<Look> {
  return lookAtPng(element.page(), await element.screenshot());
}

/**
 * Reads what was drawn on a canvas, whether or not the page shows it. It takes a fraction of the processor time of a
 * screenshot, so it suits polling.
 */
export async function lookAtCanvas(canvas: Evaluating): Promise<Look> {
  const read = (element: HTMLElement | SVGElement, { width, height }: typeof GRID) => {
    const context = new OffscreenCanvas(width, height).getContext('2d')!;
    context.drawImage(element as HTMLCanvasElement, 0, 0, width, height);
    return btoa(String.fromCharCode(...context.getImageData(0, 0, width, height).data));
  };
  return lookOf(await canvas.evaluate(read, GRID));
}

/** Does the same with an existing screenshot. */
export async function lookAtPng(page: Page, screenshot: Buffer): Promise<Look> {
  const png = screenshot.toString('base64');
  const encoded = await page.evaluate(
    async ({ data, width, height }) => {
      const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const context = new OffscreenCanvas(width, height).getContext('2d')!;
      context.drawImage(bitmap, 0, 0, width, height);
      // Returned as text, because the test's process takes ten times as long to parse an array of numbers.
      return btoa(String.fromCharCode(...context.getImageData(0, 0, width, height).data));
    },
    { data: png, ...GRID },
  );
  return lookOf(encoded);
}

/** @param encoded RGBA pixels of the grid in base64 */
function lookOf(encoded: string): Look {
  const pixels = Buffer.from(encoded, 'base64');
  const colours = new Set<number>();
  for (let at = 0; at < pixels.length; at += 4) {
    colours.add(((pixels[at]! >> 4) << 8) | ((pixels[at + 1]! >> 4) << 4) | (pixels[at + 2]! >> 4));
  }
  return { pixels, colours: colours.size };
}

/** Share of the grid, from 0 to 1, in which two looks differ visibly. */
export function difference(one: Look, other: Look): number {
  let differing = 0;
  for (let at = 0; at < one.pixels.length; at += 4) {
    const isVisible = [0, 1, 2].some(
      (channel) => Math.abs(one.pixels[at + channel]! - other.pixels[at + channel]!) > 20,
    );
    if (isVisible) differing += 1;
  }
  return differing / (one.pixels.length / 4);
}

function findChromium(places: readonly string[]): string {
  const named = process.env.PHONEBOOTH_CHROMIUM;
  const found = (named ? [named] : places).find(isExecutable);
  if (found) return found;
  throw new Error(
    named
      ? `PHONEBOOTH_CHROMIUM names ${named}, which is not an executable file`
      : 'These tests require Chromium, which was not found. Install it (Debian: apt install chromium), or set PHONEBOOTH_CHROMIUM to the path of its executable.',
  );
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
