import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../black-box/kit/wait.ts';
import { type Service, startService } from '../fixtures/service.ts';
import { openPage, sharedChromium, type WatchedPage } from './browser.ts';
import { expectAccessible, isSideways } from './console-checks.ts';

let service: Service;
let browser: Browser;

beforeAll(async () => {
  browser = await sharedChromium();
  service = await startService({ settings: { PHONEBOOTH_SIMULATED_PHONES: '0' } });
});
afterAll(() => service?.[Symbol.asyncDispose]());

/** One page of each kind: a front page, text with tables and code, a long menu entry. */
const PAGES = [
  ...['', 'getting-started/', 'sockets/', 'comparison/', 'decisions/001-store/'],
  ...['api/', 'api/devices/', 'api/schemas/'],
];

/** The part of the OpenAPI document that names the routes. */
interface OpenApi {
  paths: Record<string, Record<string, object>>;
}
const WIDTHS = { wide: 1440, phone: 390 };

/** Opens a page and runs a check on it. Fails if the page logs an error. */
async function on(path: string, run: (watched: WatchedPage) => Promise<void>): Promise<void> {
  const watched = await openPage(browser);
  try {
    const { origin } = new URL(service.httpOrigin);
    const findOrphans: string[] = [];
    watched.page.on('request', (request) => {
      const url = new URL(request.url());
      if (url.protocol.startsWith('http') && url.origin !== origin) findOrphans.push(request.url());
    });
    await watched.page.goto(`${service.httpOrigin}${path}`);
    await run(watched);
    expect(findOrphans).toEqual([]);
    expect(watched.problems).toEqual([]);
  } finally {
    await watched.page.context().close();
  }
}

test.each(PAGES)(
  '/docs/%s renders correctly in light and dark mode, on wide and narrow screens',
  async (path) => {
    await on(`/docs/${path}`, async ({ page, screenshot }) => {
      expect(await page.locator('h1').count()).toBe(1);
      for (const [name, width] of Object.entries(WIDTHS)) {
        await page.setViewportSize({ width, height: 900 });
        expect(await isSideways(page), `${width} px`).toBe(false);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme });
          await screenshot(`docs-${path.replaceAll('/', '-') || 'front-'}${name}-${colorScheme}`);
          if ((name === 'wide') === (colorScheme === 'light')) await expectAccessible(page);
        }
      }
    });
  },
);

test('the API reference describes every route, and links to the schemas', async () => {
  await on('/docs/api/', async ({ page, screenshot }) => {
    const { paths } = (await (await fetch(`${service.httpOrigin}/openapi.json`)).json()) as OpenApi;
    const routes = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} /v1${path}`),
    );
    const listed = await page.locator('td:first-child code').allInnerTexts();
    expect(listed.sort()).toEqual(routes.sort());
    await page.getByRole('link', { name: 'Create a connection session to a device' }).click();
    await page.waitForURL('**/docs/api/devices/#create-a-connection-session-to-a-device');
    const duration = page.getByRole('row').filter({ hasText: 'Session length in minutes' });
    await duration.getByText('whole number from 1 to 480 or null, default 30').waitFor();
    await screenshot('reference');
    await page.getByRole('link', { name: 'Session', exact: true }).first().click();
    await page.waitForURL('**/docs/api/schemas/#session');
    await page.locator('#session').waitFor();
  });
});

test('finds a section in the search and opens it', async () => {
  await on('/docs/', async ({ page, screenshot }) => {
    const field = page.getByLabel('Search the documentation');
    await field.fill('close codes');
    const first = page.locator('.search-results a').first();
    await first.waitFor();
    await screenshot('search');
    await field.press('ArrowDown');
    expect(await first.evaluate((link) => link === document.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/sockets/#close-codes');
    await page.getByLabel('Search the documentation').fill('zzzzqqq');
    await page.getByText('Nothing found.').waitFor();
  });
});

test('opens the menu on a phone and follows a link', async () => {
  await on('/docs/', async ({ page, screenshot }) => {
    await page.setViewportSize({ width: WIDTHS.phone, height: 844 });
    await page.getByRole('button', { name: 'Menu' }).click();
    await screenshot('menu');
    await page
      .getByRole('navigation', { name: 'Documentation' })
      .getByRole('link', { name: 'Sockets' })
      .click();
    await page.waitForURL('**/docs/sockets/');
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Sockets');
  });
});

test('has a skip link as its first keyboard stop', async () => {
  await on('/docs/sockets/', async ({ page }) => {
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Skip to content');
    await page.keyboard.press('Enter');
    await until('the text', () => page.evaluate(() => document.activeElement?.id === 'content'));
  });
});

test('copies a block of code', async () => {
  await on('/docs/getting-started/', async ({ page }) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const block = page.locator('.code').first();
    await block.hover();
    // The button says so only briefly
    const isSaid = block.getByRole('button', { name: 'Copied' }).waitFor();
    await Promise.all([isSaid, block.getByRole('button', { name: 'Copy' }).click()]);
    expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('npm start');
  });
});

test.each([
  ['/docs/nothing-here/', 404],
  ['/docs/nothing-here.js', 404],
  ['/docs/..%2f..%2fpackage.json', 404],
  ['/docs/%2e%2e/console/index.html', 404],
  ['/docs/.sources', 404],
])('does not serve %s', async (path, status) => {
  const response = await fetch(`${service.httpOrigin}${path}`, { headers: { accept: 'text/html' } });
  expect(response.status).toBe(status);
});

test('redirects an address without a trailing slash and shows a readable page for a missing one', async () => {
  const response = await fetch(`${service.httpOrigin}/docs/sockets`);
  expect(response.url).toBe(`${service.httpOrigin}/docs/sockets/`);
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  const missing = await fetch(`${service.httpOrigin}/docs/nothing/`, { headers: { accept: 'text/html' } });
  expect(await missing.text()).toContain('Page not found');
});
