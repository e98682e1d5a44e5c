import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { succeeded } from '../black-box/kit/api.ts';
import { until } from '../black-box/kit/wait.ts';
import { IdentityProviderFixture, signInSettings } from '../fixtures/identity-provider/identity-provider.ts';
import { promised } from '../nightly.ts';
import { expectAccessible, HOUR_MS } from './console-checks.ts';
import { type ConsoleRig, connectInPage, signOut, startConsole } from './console-kit.ts';

const CUT_WITHIN_MS = 5_000;
/** The browser's log message about an error response, where one is expected. */
const REFUSED = /status of 40[13]/;

let provider: IdentityProviderFixture;
let rig: ConsoleRig;
beforeAll(async () => {
  provider = await IdentityProviderFixture.start({ clientSecret: null });
  rig = await startConsole(signInSettings(provider.issuer));
});
afterAll(async () => {
  await rig?.[Symbol.asyncDispose]();
  await provider?.[Symbol.asyncDispose]();
});
beforeEach(() => {
  provider.people.set('ada', { name: 'Ada Lovelace', email: 'ada@example.com', groups: ['qa'] });
  provider.people.set('root', { name: 'Grace Hopper', groups: ['phone-admins'] });
});

const sessionCookie = async (page: Page) =>
  (await page.context().cookies()).find(({ name }) => name === 'phonebooth-session');

const toProvider = (page: Page) => page.getByRole('button', { name: 'Sign in with Example ID' }).click();

async function answer(page: Page, login: string): Promise<void> {
  await page.getByLabel('Who are you?').fill(login);
  await page.getByRole('button', { name: 'Continue' }).click();
}

async function signInAs(page: Page, login: string): Promise<void> {
  await toProvider(page);
  await answer(page, login);
}

const userCalled = async (name: string) => {
  const { items } = succeeded(await rig.api.get('/admin/users'));
  return items.find((user: { name: string }) => user.name === name);
};

test('returns to the page from before the sign-in, and signs out', () =>
  rig.inPage(async ({ page, screenshot }) => {
    await page.goto(`${rig.service.httpOrigin}/usage`);
    await toProvider(page);
    const seen: string[] = [];
    page.on('request', (request) => seen.push(request.url()));
    await answer(page, 'ada');
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/usage');
    await page.getByRole('button', { name: 'Account: Ada Lovelace' }).click();
    await page.getByRole('menu').getByText('Ada Lovelace').waitFor();
    await page.getByRole('menuitemradio', { name: 'Dark' }).click();
    await until('the dark theme', () =>
      page.evaluate(() => document.documentElement.dataset.theme === 'dark'),
    );
    await screenshot('signed-in');
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    const key = (await sessionCookie(page))!.value;
    expect(key).toMatch(/^pb_/);
    expect(await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))).not.toContain('pb_');
    expect(seen.filter((url) => url.includes(key))).toEqual([]);
    expect((await page.context().cookies()).map(({ name }) => name)).not.toContain('phonebooth-ticket');

    await signOut(page);
    await page.getByLabel('API key', { exact: true }).waitFor();
    await until('the key to be refused', async () => {
      const { code } = await rig.api.withKey(key).get('/usage');
      return code === 40001;
    });
    expect(rig.service.output()).not.toContain(key);
  }));

test('stays signed in after the browser is closed, on request', () =>
  rig.inPage(async ({ page }) => {
    await page.getByLabel('Stay signed in on this computer').check();
    await signInAs(page, 'ada');
    await page.getByRole('article').first().waitFor();
    expect((await sessionCookie(page))!.expires * 1000).toBeGreaterThan(Date.now() + 11 * HOUR_MS);
  }));

test('offers only lifetimes of keys that the service accepts after a sign-in', () =>
  rig.inPage(async ({ page }) => {
    await signInAs(page, 'ada');
    await page.getByRole('article').first().waitFor();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('button', { name: 'New key' }).click();
    const dialog = page.getByRole('dialog');
    const lifetimes = dialog.getByLabel('Valid for');
    expect(await lifetimes.locator('option').allInnerTexts()).toEqual(['7 days', '30 days', '90 days']);
    expect(await lifetimes.inputValue()).toBe('90');
    await dialog.getByLabel('Name').fill('nightly tests');
    await dialog.getByRole('button', { name: 'Create key' }).click();
    await dialog.getByText('It is not shown again').waitFor();
  }));

test('explains a canceled sign-in and a missing group, and allows a retry', () =>
  rig.inPage(async ({ page, screenshot }) => {
    await toProvider(page);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('You cancelled').waitFor();
    provider.people.set('eve', { name: 'Eve', groups: ['staff'] });
    await page.getByRole('button', { name: 'Try again' }).click();
    await answer(page, 'eve');
    await page.getByText('None of your groups has access to this service').waitFor();
    await screenshot('no-access');
    await expectAccessible(page);
    provider.people.set('eve', { name: 'Eve', groups: ['qa'] });
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('article').first().waitFor();
  }));

test('disconnects a disabled user within five seconds and rejects another sign-in', () =>
  rig.inPage(
    async ({ page }) => {
      const closed = new Map<string, number>();
      page.on('websocket', (socket) => socket.on('close', () => closed.set(socket.url(), performance.now())));
      await signInAs(page, 'ada');
      await page.getByRole('article').first().waitFor();
      await connectInPage(page, rig.api);
      const { id } = await userCalled('Ada Lovelace');
      // The video may appear before the service is notified of the connection.
      const sessions = await until('the session to be connected', async () => {
        const { items } = succeeded(await rig.api.get('/admin/sessions?status=connected'));
        return items.length > 0 && items;
      });
      expect(sessions).toMatchObject([{ user: { id, name: 'Ada Lovelace' } }]);
      const before = performance.now();
      succeeded(await rig.api.post(`/admin/users/${id}/disable`));
      await until('both sockets to be closed', () => closed.size >= 2);
      for (const at of closed.values()) expect(at - before).toBeLessThan(promised(CUT_WITHIN_MS));

      await page.getByLabel('API key', { exact: true }).waitFor();
      await toProvider(page);
      await page.getByText('An operator has disabled your user').waitFor();
      succeeded(await rig.api.post(`/admin/users/${id}/enable`));
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('button', { name: 'Account: Ada Lovelace' }).waitFor();
    },
    [REFUSED],
  ));

test('lets operators list and disable users', async () => {
  await rig.inPage(async ({ page }) => {
    await signInAs(page, 'ada');
    await page.getByRole('button', { name: 'Account: Ada Lovelace' }).waitFor();
  });
  await rig.inPage(async ({ page, screenshot }) => {
    await signInAs(page, 'root');
    await page.getByRole('article').first().waitFor();
    await page.goto(`${rig.service.httpOrigin}/admin/users`);
    const row = page.getByRole('row', { name: /Ada Lovelace/ });
    await row.getByText('ada@example.com').waitFor();
    await screenshot('users');
    await expectAccessible(page);
    await row.getByRole('button', { name: 'Actions for Ada Lovelace' }).click();
    await page.getByRole('menuitem', { name: 'Disable…' }).click();
    await page.getByRole('dialog').getByText('All keys of the user are revoked').waitFor();
    await page.getByRole('button', { name: 'Disable user' }).click();
    await row.getByText('Disabled', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Actions for Ada Lovelace' }).click();
    await page.getByRole('menuitem', { name: 'Enable' }).click();
    await row.getByText('Enabled', { exact: true }).waitFor();

    await page.goto(`${rig.service.httpOrigin}/admin/audit?target=${(await userCalled('Ada Lovelace')).id}`);
    await page.getByRole('cell', { name: 'Disable a user' }).first().waitFor();
    await page.getByText('Grace Hopper, ops').first().waitFor();
    await screenshot('users-audit');
  });
});

test('lists, disables and enables users on the command line', async () => {
  await rig.inPage(async ({ page }) => {
    await signInAs(page, 'ada');
    await page.getByRole('button', { name: 'Account: Ada Lovelace' }).waitFor();
  });
  const { id } = await userCalled('Ada Lovelace');
  const users = async (...args: string[]) => {
    const { code, stdout, stderr } = await rig.service.command('users', ...args);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return stdout;
  };
  expect(await users('list', '--account', 'qa')).toMatch(
    new RegExp(`^${id} +Ada Lovelace +ada@example.com +qa +user +\\S+ +enabled$`, 'm'),
  );
  expect(await users('disable', id)).toBe('Disabled Ada Lovelace of account qa; 0 live sessions ended.\n');
  expect((await userCalled('Ada Lovelace')).disabled_at).not.toBeNull();
  expect(await users('enable', id)).toContain('can sign in again');
  expect(JSON.parse(await users('list', '--json'))).toContainEqual(
    expect.objectContaining({ id, disabled_at: null }),
  );
  const { code, stderr } = await rig.service.command('users', 'disable', 'user_none');
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'phonebooth: user user_none does not exist; list the users with phonebooth users list\n',
  });
});
