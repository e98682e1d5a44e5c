import { accessSync, constants } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';

/** Debian's own, and where playwright puts the one that it downloads. */
const PLACES = ['/usr/bin/chromium', chromium.executablePath()];

// The old headless mode is another browser; the last four keep it from talking to anyone but the page.
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

/** A folder that is there, for pictures of every page; without it none are taken, since nobody would look at them. */
const ALBUM = process.env.PHONEBOOTH_TEST_PICTURES;

/** A page that remembers everything that went wrong in it. */
export interface WatchedPage {
  page: Page;
  /** Messages of the console's level `error`, and errors that nobody caught. */
  problems: string[];
  /** Saves what is seen under this name, for people to look at; nothing unless they asked for it. */
  picture(name: string): Promise<void>;
  /** Saves what is seen when a test has failed, and answers in which file. */
  lastPicture(): Promise<string>;
}

/** @throws Error that says what to install, when there is no Chromium. */
export function launchChromium(): Promise<Browser> {
  // Playwright's own switch would choose the old headless mode of the browser.
  return chromium.launch({
    executablePath: findChromium(),
    headless: false,
    args: ARGUMENTS,
    timeout: 60_000,
  });
}

export async function openPage(browser: Browser): Promise<WatchedPage> {
  // What moves is half there while it does: its colours and its place are other than they are going to be.
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('pageerror', (error) => problems.push(String(error)));
  return {
    page,
    problems,
    picture: async (name) => {
      if (ALBUM) await page.screenshot({ path: join(ALBUM, `${name}.png`) });
    },
    lastPicture: async () => {
      const path = join(await mkdtemp(join(tmpdir(), 'phonebooth-failed-')), 'page.png');
      await page.screenshot({ path });
      return path;
    },
  };
}

/** What an element looks like, as RGBA in a coarse grid. */
export interface Look {
  pixels: Uint8Array;
  /** How many colours there are in it, told apart by their upper four bits. */
  colours: number;
}

const GRID = { width: 72, height: 144 };

/** Takes a picture of the element as a person sees it, and has the browser read it. */
export async function lookAt(element: Locator): Promise<Look> {
  return lookAtPng(element.page(), await element.screenshot());
}

/** The same of a picture that is there already. */
export async function lookAtPng(page: Page, picture: Buffer): Promise<Look> {
  const png = picture.toString('base64');
  const encoded = await page.evaluate(
    async ({ data, width, height }) => {
      const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
      const context = new OffscreenCanvas(width, height).getContext('2d')!;
      context.drawImage(bitmap, 0, 0, width, height);
      // As text, because an array of numbers takes the test's process ten times as long to read.
      return btoa(String.fromCharCode(...context.getImageData(0, 0, width, height).data));
    },
    { data: png, ...GRID },
  );
  const pixels = Buffer.from(encoded, 'base64');
  const colours = new Set<number>();
  for (let at = 0; at < pixels.length; at += 4) {
    colours.add(((pixels[at]! >> 4) << 8) | ((pixels[at + 1]! >> 4) << 4) | (pixels[at + 2]! >> 4));
  }
  return { pixels, colours: colours.size };
}

/** The share of the grid, 0 to 1, in which two looks differ visibly. */
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

function findChromium(): string {
  const named = process.env.PHONEBOOTH_CHROMIUM;
  const found = (named ? [named] : PLACES).find(isExecutable);
  if (found) return found;
  throw new Error(
    named
      ? `PHONEBOOTH_CHROMIUM names ${named}, which is no program`
      : 'Chromium is needed for these tests and was not found: install it (Debian: apt install chromium), or name its program in PHONEBOOTH_CHROMIUM',
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
