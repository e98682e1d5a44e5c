import type { Page } from 'playwright-core';
import { expect, vi } from 'vitest';

/** The element that has the keyboard focus, and its visible focus indicator. */
export interface Stop {
  /** Its role and accessible name as far as the test can derive them, such as `button Connect`. */
  name: string;
  /** The focus indicator, or null if there is none. */
  mark: string | null;
}

/** More tab stops than any page has before the element that a test looks for. */
const MOST_STOPS = 60;

/** Returns the element that has the keyboard focus. */
export function stopOf(page: Page): Promise<Stop> {
  return page.evaluate(() => {
    const element = document.activeElement ?? document.body;
    const labels = 'labels' in element ? [...((element as HTMLInputElement).labels ?? [])] : [];
    const words = [
      element.getAttribute('aria-label'),
      element
        .getAttribute('aria-labelledby')
        ?.split(' ')
        .map((id) => document.getElementById(id)?.innerText)[0],
      labels.map((label) => label.innerText).join(' '),
      (element as HTMLElement).innerText,
      element.getAttribute('title'),
    ].find(Boolean);
    const role = element.getAttribute('role') ?? element.tagName.toLowerCase();
    const marked = (one: Element) => {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one);
      if (outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0) return 'outline';
      return one.matches('input, textarea, button, a') && boxShadow !== 'none' ? 'shadow' : null;
    };
    // A field that is not visible itself, such as a radio button, shows the indicator on its label.
    const mark = [element, ...labels].map(marked).find((found) => found !== null) ?? null;
    return { name: `${role} ${(words ?? '').replaceAll(/\s+/g, ' ').trim()}`, mark };
  });
}

/**
 * Returns the name of the element that has the focus, once the focus is visible: a toolbar that gets it passes it on to one
 * of its buttons.
 */
const visibleStop = (page: Page): Promise<string> =>
  vi.waitFor(
    async () => {
      const { name, mark } = await stopOf(page);
      if (!name.startsWith('body')) expect(mark, `the focus is not visible on ${name}`).not.toBeNull();
      return name;
    },
    { timeout: 60_000, interval: 20 },
  );

/** Presses Tab until the wanted element has the focus. Asserts that the focus is visible at every stop. */
export async function tabTo(page: Page, wanted: RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const passed: string[] = [];
  for (let stops = 0; stops < MOST_STOPS; stops += 1) {
    await page.keyboard.press(key);
    const name = await visibleStop(page);
    // The browser's own toolbars come between the last stop and the first.
    if (name.startsWith('body')) continue;
    if (wanted.test(name)) return;
    passed.push(name);
  }
  throw new Error(`the keyboard focus did not reach ${wanted}; it reached ${passed.join(', ')}`);
}
