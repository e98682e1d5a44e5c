import { gzipSync } from 'node:zlib';
import type { Page, Response } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newClient } from '../api/kit/clients.ts';
import { succeeded } from '../black-box/kit/api.ts';
import { borrowConnected } from '../black-box/kit/borrow.ts';
import { until } from '../black-box/kit/wait.ts';
import { expectedSignature, WebhookReceiver } from '../fixtures/webhook-receiver.ts';
import { DAY_MS, expectAccessible, isNearlyOver, operate, rowOf } from './console-checks.ts';
import { type ConsoleRig, signIn, signOut, startConsole } from './console-kit.ts';

let rig: ConsoleRig;

beforeAll(async () => {
  rig = await startConsole({
    PHONEBOOTH_SIMULATED_PHONES: '2',
    PHONEBOOTH_WEBHOOKS_PRIVATE_NETWORKS: 'on',
  });
});
afterAll(() => rig?.[Symbol.asyncDispose]());

/** Maximum size of the compressed JavaScript that loads before the phones are displayed. */
const FIRST_LOAD_BYTES = 300_000;
/** Maximum size of the compressed JavaScript of a page with a chart. */
const PAGE_BYTES = 15_000;

const mainLink = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name });

/** Waits until the key is rejected. The service may accept a previously valid key for one more second. */
const refused = (key: string) =>
  until('the key to be refused', async () => (await rig.api.withKey(key).get('/usage')).code === 40001);

describe('the usage page', () => {
  test('shows the minutes per day as a chart and a table, with the remaining quota and its reset date', () =>
    rig.inPage(async ({ page, screenshot }) => {
      await until('a day that is not about to end', () => !isNearlyOver(DAY_MS), { deadlineMs: 90_000 });
      const client = await newClient(rig.api, { limits: { quota_minutes: 100, max_sessions: 2 } });
      const given = await borrowConnected(client.api, { duration: 20 });
      await given[Symbol.asyncDispose]();
      await using live = await borrowConnected(client.api, { duration: 30 });
      expect(live.session.status).toBe('connected');
      await signIn(page, client.key);
      await mainLink(page, 'Usage').click();
      const main = page.getByRole('main');
      await main.getByText('69 min', { exact: true }).waitFor();
      await main.getByText('1 of 100 minutes used').waitFor();
      await main.getByText('At most 2 at once').waitFor();
      await main.getByText('31 minutes in 2 sessions.').waitFor();
      await main.getByText('30 minutes reserved by live sessions.').waitFor();
      const meter = 'Usage this month: 1 minute used and 30 minutes reserved of 100 minutes.';
      await page.getByRole('link', { name: meter }).waitFor();
      await screenshot('usage');

      const bars = main.locator('svg[data-chart] path');
      await until('bars for today', async () => ((await bars.first().getAttribute('d')) ?? '') !== '');
      await main.getByRole('group', { name: /^Minutes by day/ }).focus();
      for (let day = 1; day < new Date().getUTCDate(); day += 1) await page.keyboard.press('ArrowRight');
      await main.getByText('30 minutes', { exact: true }).waitFor();
      await screenshot('usage-day');

      await main.getByText('Show as a table').click();
      await main.getByRole('row', { name: / 2 1 30$/ }).waitFor();
      await expectAccessible(page);

      await main.getByRole('button', { name: 'Previous month' }).click();
      await main.getByText('No minutes were used in this month.').waitFor();
      expect(new URL(page.url()).searchParams.get('month')).toMatch(/^\d{4}-\d\d$/);
      await page.reload();
      await main.getByText('No minutes were used in this month.').waitFor();
      await main.getByRole('button', { name: 'Next month' }).click();
      await main.getByText('31 minutes in 2 sessions.').waitFor();
      expect(await main.getByRole('button', { name: 'Next month' }).isDisabled()).toBe(true);
    }));

  test('is not part of the initial load, and is small', () =>
    rig.inPage(async ({ page }) => {
      const scripts = new Map<string, Response>();
      page.on('response', (response) => {
        if (response.url().endsWith('.js')) scripts.set(response.url(), response);
      });
      await page.reload();
      await signIn(page, rig.service.key);
      await page.getByRole('article').first().waitFor();
      const sizes = await Promise.all(
        [...scripts.values()].map(async (response) => gzipSync(await response.body()).length),
      );
      const first = sizes.reduce((sum, size) => sum + size, 0);
      expect(first).toBeGreaterThan(10_000);
      expect(first).toBeLessThan(FIRST_LOAD_BYTES);
      const before = scripts.size;
      await mainLink(page, 'Usage').click();
      await page.locator('svg[data-chart]').waitFor();
      expect(scripts.size).toBeGreaterThan(before);
      const further = [...scripts.values()]
        .slice(before)
        .map(async (one) => gzipSync(await one.body()).length);
      expect((await Promise.all(further)).reduce((sum, size) => sum + size, 0)).toBeLessThan(PAGE_BYTES);
    }));
});

describe('the page of API keys', () => {
  test('creates a key, shows it once and revokes it after a confirmation', () =>
    rig.inPage(async ({ page, screenshot }) => {
      const client = await newClient(rig.api);
      const origin = rig.service.httpOrigin;
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
      await signIn(page, client.key);
      await mainLink(page, 'Keys').click();
      await page.getByRole('row').filter({ hasText: 'This browser' }).waitFor();

      await page.getByRole('button', { name: 'New key' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Create key' }).click();
      await dialog.getByText('Enter a name to recognize the key by.').waitFor();
      await dialog.getByLabel('Name').fill('nightly tests');
      expect(await dialog.getByLabel('Role').locator('option').allInnerTexts()).toEqual(['Viewer', 'User']);
      await dialog.getByLabel('Role').selectOption('Viewer');
      await dialog.getByLabel('Valid for').selectOption('7 days');
      await screenshot('keys-new');
      await expectAccessible(page);
      await dialog.getByRole('button', { name: 'Create key' }).click();
      await dialog.getByText('It is not shown again').waitFor();
      await screenshot('keys-made');
      await dialog.getByRole('button', { name: 'Copy key' }).click();
      await page.getByText('Key copied.').waitFor();
      const key = await page.evaluate(() => navigator.clipboard.readText());
      expect(key).toMatch(/^pb_/);
      expect(succeeded(await rig.api.withKey(key).get<{ role: string }>('/usage')).role).toBe('viewer');
      await dialog.getByRole('button', { name: 'Done' }).click();
      await page.getByRole('button', { name: 'New key' }).waitFor();
      expect(await page.content()).not.toContain(key);

      const row = page.getByRole('row').filter({ hasText: 'nightly tests' });
      await row.getByText('Valid', { exact: true }).waitFor();
      await screenshot('keys');
      await expectAccessible(page);
      await row.getByRole('button', { name: 'Revoke nightly tests' }).click();
      await dialog.getByText('the sessions that the key created end').waitFor();
      await dialog.getByText('The account has no live session.').waitFor();
      await screenshot('keys-revoke');
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await row.getByRole('button', { name: 'Revoke nightly tests' }).click();
      await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
      await row.getByText('Revoked', { exact: true }).waitFor();
      await refused(key);
    }));

  test('warns before the own session is revoked, and signs out when it or its key is', () =>
    rig.inPage(
      async ({ page, screenshot }) => {
        const client = await newClient(rig.api);
        await signIn(page, client.key);
        await mainLink(page, 'Keys').click();
        const row = page.getByRole('row').filter({ hasText: 'This browser' });
        await row.getByRole('button', { name: 'Revoke test' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByText('Revoking it signs you out').waitFor();
        await screenshot('keys-revoke-own');
        await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
        await page.getByLabel('API key', { exact: true }).waitFor();

        await signIn(page, client.key);
        const own = page.getByRole('row').filter({ hasText: 'test', hasNotText: 'Browser session' });
        await own.getByRole('button', { name: 'Revoke test' }).click();
        await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
        await page.getByText('You are no longer signed in').waitFor();
        await refused(client.key);
      },
      [/status of 401/],
    ));

  test('is read-only for a viewer’s key', () =>
    rig.inPage(async ({ page }) => {
      const client = await newClient(rig.api, { role: 'viewer' });
      await signIn(page, client.key);
      await mainLink(page, 'Keys').click();
      await page.getByText('Ask for a key with the role “user”.').waitFor();
      await page.getByRole('row').filter({ hasText: 'This browser' }).waitFor();
      expect(await page.getByRole('button', { name: /New key|Revoke/ }).count()).toBe(0);
    }));
});

describe('the pages of webhooks', () => {
  test('create one, show its secret once, and show and repeat its deliveries', () =>
    rig.inPage(async ({ page, screenshot }) => {
      await using receiver = await WebhookReceiver.start();
      const client = await newClient(rig.api);
      await signIn(page, client.key);
      await mainLink(page, 'Webhooks').click();
      await page.getByText('No webhooks yet').waitFor();
      await page.getByRole('button', { name: 'New webhook' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('URL').fill('ftp://example.com');
      await dialog.getByRole('button', { name: 'Create webhook' }).click();
      await dialog.getByText('Enter a URL that starts with https:// or http://.').waitFor();
      await dialog.getByLabel('URL').fill(receiver.url);
      await dialog.getByLabel('Phone changed').uncheck();
      await screenshot('webhook-new');
      await expectAccessible(page);
      await dialog.getByRole('button', { name: 'Create webhook' }).click();
      const secretField = dialog.getByLabel('Signing secret');
      await secretField.waitFor();
      await screenshot('webhook-secret');
      await expectAccessible(page);
      const first = await secretField.inputValue();
      await dialog.getByRole('button', { name: 'Done' }).click();
      const row = page.getByRole('row').filter({ hasText: receiver.url });
      await row.getByText('Phone removed, Session changed').waitFor();
      await row.getByText('Active', { exact: true }).waitFor();
      expect(await page.content()).not.toContain(first);
      await screenshot('webhooks');
      await expectAccessible(page);

      await row.getByRole('link', { name: receiver.url }).click();
      await page.getByRole('heading', { name: receiver.url, level: 1 }).waitFor();
      const ping = page.getByRole('row').filter({ hasText: 'Test message' });
      receiver.answers = [500];
      await page.getByRole('button', { name: 'Send test message' }).click();
      // On a slow machine the service can have repeated it already.
      await ping.getByText(/^\d+ attempts? · HTTP 500/).waitFor();
      await ping.getByText('Pending').waitFor();
      expect(receiver.received[0]!.headers['webhook-signature']).toBe(
        expectedSignature(first, receiver.received[0]!),
      );
      await screenshot('webhook');
      await expectAccessible(page);
      receiver.answers = [204];
      await ping.getByRole('button', { name: /^Redeliver/ }).click();
      await ping.getByText('Delivered').waitFor();
      expect(receiver.received[1]!.id).toBe(receiver.received[0]!.id);
      await page.getByLabel('State').selectOption('Given up');
      await page.getByRole('heading', { name: 'No matches' }).waitFor();
      expect(new URL(page.url()).search).toBe('?state=dead');

      const act = async (action: string) => {
        await page.getByRole('button', { name: 'Actions for the webhook' }).click();
        await page.getByRole('menuitem', { name: action }).click();
      };
      await act('Rotate secret');
      await dialog.getByRole('button', { name: 'Create new secret' }).click();
      await secretField.waitFor();
      expect(await secretField.inputValue()).not.toBe(first);
      await dialog.getByRole('button', { name: 'Done' }).click();
      await page.getByText('also signed with the previous secret until').waitFor();
      await act('Disable');
      await page.getByText('Disabled by your account.').waitFor();
      await page.getByRole('button', { name: 'Enable', exact: true }).click();
      await page.getByRole('button', { name: 'Send test message' }).waitFor();
      await act('Edit');
      await dialog.getByLabel('Description').fill('Build server');
      const edited = page.waitForRequest((request) => request.method() === 'PATCH');
      await dialog.getByRole('button', { name: 'Save' }).click();
      expect((await edited).postDataJSON()).toEqual({ description: 'Build server' });
      await page.getByText('Build server').waitFor();

      await mainLink(page, 'Phones').click();
      await signOut(page);
      await operate(page, rig.service.key, 'Webhooks');
      const fleetRow = rowOf(page, `http://127.0.0.1:${receiver.port}`);
      expect(await fleetRow.innerText()).not.toContain('a-secret-of-the-account');
      await fleetRow.getByRole('button', { name: 'Disable…' }).click();
      await dialog.getByLabel('Reason').fill('It overloads the network');
      await screenshot('fleet-webhook-disable');
      await dialog.getByRole('button', { name: 'Disable webhook' }).click();
      await fleetRow.getByText('Reason: It overloads the network').waitFor();
      await screenshot('fleet-webhooks');
      await expectAccessible(page);
      const own = succeeded(await client.api.get<{ items: object[] }>('/webhooks'));
      expect(own.items).toMatchObject([{ active: false, inactive_cause: 'operator' }]);
      await fleetRow.getByRole('button', { name: 'Allow again' }).click();
      await fleetRow.getByText('Active', { exact: true }).waitFor();
    }));
});
