import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults, RunOptions } from 'axe-core';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { until } from '../black-box/kit/wait.ts';
import { signIn } from './console-kit.ts';

/** Loaded once into each document, because loading it takes longer than most of its runs. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe finds in what the page shows now, by the rules of WCAG 2.2, level AA, and by its own advice; or by these of its rules. */
export async function violations(page: Page, rules?: string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  const options: RunOptions = { resultTypes: ['violations'], ...(rules ? { runOnly: rules } : {}) };
  const found = await page.evaluate<AxeResults, RunOptions>(
    (options) => (window as unknown as { axe: typeof import('axe-core') }).axe.run(options),
    options,
  );
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

export const expectAccessible = async (page: Page) => expect(await violations(page)).toEqual([]);

/** Signs in with an operator's key, and goes to one of the operators' pages by its links. */
export async function operate(page: Page, key: string, section: string): Promise<void> {
  await signIn(page, key);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Operate' }).click();
  await page.getByRole('navigation', { name: 'Operate' }).getByRole('link', { name: section }).click();
  await page.getByRole('heading', { name: section, level: 1 }).waitFor();
}

export const rowOf = (page: Page, text: string): Locator => page.getByRole('row').filter({ hasText: text });

/** A desk's screen, a phone's, and the desk's zoomed to 200 %. */
export const WIDE = { width: 1440, height: 900 };
export const NARROW = { width: 390, height: 844 };
export const ZOOMED = { width: 720, height: 450 };

/** What follows the window's size does so a few pictures of the display later. */
const FOLLOW_MS = 5_000;

/** Whether something lies beside the page, so that it is scrolled in two directions (WCAG 2.2, 1.4.10). */
export async function isSideways(page: Page): Promise<boolean> {
  const deadline = performance.now() + FOLLOW_MS;
  const { isBeside } = await until('the page to follow its window', async () => {
    const isBeside = await page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      return scrollWidth > clientWidth;
    });
    return (!isBeside || performance.now() > deadline) && { isBeside };
  });
  return isBeside;
}

/** The CSS animations and transitions that run now and take longer than can be called none, in ms. */
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

/** Whether there is hardly time in this day, or hour, of UTC for a test that counts what is in it. */
export const isNearlyOver = (periodMs: number): boolean => periodMs - (Date.now() % periodMs) < 60_000;

/** When what was changed is on the screen. */
export const painted = (page: Page): Promise<void> =>
  page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  );
