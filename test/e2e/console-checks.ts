import { AxeBuilder } from '@axe-core/playwright';
import type { Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import { signIn } from './console-kit.ts';

/** That axe finds nothing in what the page shows now, by the rules of WCAG 2.2, level AA, and by its own advice. */
export async function expectAccessible(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
}

/** Signs in with an operator's key, and goes to one of the operators' pages by its links. */
export async function operate(page: Page, key: string, section: string): Promise<void> {
  await signIn(page, key);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Operate' }).click();
  await page.getByRole('navigation', { name: 'Operate' }).getByRole('link', { name: section }).click();
  await page.getByRole('heading', { name: section, level: 1 }).waitFor();
}

export const rowOf = (page: Page, text: string): Locator => page.getByRole('row').filter({ hasText: text });
