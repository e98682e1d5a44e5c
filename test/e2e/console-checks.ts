import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { RunOptions } from 'axe-core';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { until } from '../black-box/kit/wait.ts';
import { signIn } from './console-kit.ts';

/** Injected once into each document, because injecting it takes longer than most of its runs. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * Runs axe on the current page with the rules of WCAG 2.2, level AA, and its best practices. Returns the violations.
 */
export async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  const options: RunOptions = { resultTypes: ['violations'] };
  const found = await page.evaluate(async (options) => {
    const { axe } = window as unknown as { axe: typeof import('axe-core') };
    const { violations } = await axe.run(options);
    // Only these are returned: the whole result takes longer to transfer than most pages take to check.
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }, options);
  return found;
}

export const expectAccessible = async (page: Page) => expect(await violations(page)).toEqual([]);

/** Signs in with an operator's key and follows the links to one of the operator pages. */
export async function operate(page: Page, key: string, section: string): Promise<void> {
  await signIn(page, key);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Operate' }).click();
  await page.getByRole('navigation', { name: 'Operate' }).getByRole('link', { name: section }).click();
  await page.getByRole('heading', { name: section, level: 1 }).waitFor();
}

export const rowOf = (page: Page, text: string): Locator => page.getByRole('row').filter({ hasText: text });

/** Viewport sizes: a desktop screen, a phone's screen, and the desktop screen zoomed to 200 %. */
export const WIDE = { width: 1440, height: 900 };
export const NARROW = { width: 390, height: 844 };
/** A tablet's screen in landscape orientation. */
export const TABLET = { width: 1024, height: 768 };
/** A laptop's screen below the bars of its browser. */
export const LOW = { width: 1366, height: 625 };
export const ZOOMED = { width: 720, height: 450 };

/**
 * Time that the layout may take to follow a change of the window's size. It needs a few frames, and longer on a machine
 * that stands still.
 */
const FOLLOW_MS = 30_000;

/** Whether the page overflows horizontally, so that it scrolls in two directions (WCAG 2.2, 1.4.10). */
export async function isSideways(page: Page): Promise<boolean> {
  const deadline = performance.now() + FOLLOW_MS;
  const { isBeside } = await until('the page to adapt to its window', async () => {
    const isBeside = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      return scrollWidth > clientWidth;
    });
    return (!isBeside || performance.now() > deadline) && { isBeside };
  });
  return isBeside;
}

/** Whether the links of the main navigation do not fit beside each other, so that it scrolls. */
export const isNavigationCut = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const navigation = document.querySelector('nav[aria-label=Main]');
    return navigation !== null && navigation.scrollWidth > navigation.clientWidth;
  });

/** Asserts that a dialog fits into the window without scrolling. */
export async function expectWhole(dialog: Locator): Promise<void> {
  const overflow = (element: Element) => {
    const { left, top, right, bottom } = element.getBoundingClientRect();
    const isInside = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
    return isInside ? element.scrollHeight - element.clientHeight : 'outside the window';
  };
  await until('the dialog to fit into the window', async () => (await dialog.evaluate(overflow)) === 0);
}

/**
 * Lists the running CSS animations and transitions that are not short enough to count as disabled, with durations in
 * ms.
 */
export const longAnimations = (page: Page): Promise<string[]> =>
  page.evaluate(() =>
    document.getAnimations().flatMap((animation) => {
      const duration = Number(animation.effect?.getComputedTiming().duration ?? 0);
      const target = (animation.effect as KeyframeEffect | null)?.target;
      return animation.playState === 'running' && duration > 10
        ? [`${duration} ms on ${target?.className}`]
        : [];
    }),
  );

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** Whether too little of the current day or hour (UTC) is left for a test that counts within that period. */
export const isNearlyOver = (periodMs: number): boolean => periodMs - (Date.now() % periodMs) < 60_000;

/** Resolves when a change has been painted on the screen. */
export const painted = (page: Page): Promise<void> =>
  page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  );
