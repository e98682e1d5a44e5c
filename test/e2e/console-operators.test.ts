import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newClient } from '../api/kit/clients.ts';
import { succeeded } from '../black-box/kit/api.ts';
import { borrowConnected, freeDevice } from '../black-box/kit/borrow.ts';
import { until } from '../black-box/kit/wait.ts';
import { makeApk } from '../fixtures/apk.ts';
import { expectAccessible, expectWhole, LOW, NARROW, operate, rowOf, WIDE } from './console-checks.ts';
import { type ConsoleRig, signIn, signOut, startConsole } from './console-kit.ts';

let rig: ConsoleRig;

beforeAll(async () => {
  rig = await startConsole();
});
afterAll(() => rig?.[Symbol.asyncDispose]());

async function act(page: Page, name: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

describe('the operator pages', () => {
  test('are hidden from other users, and explain this at their addresses', () =>
    rig.inPage(async ({ page, screenshot }) => {
      const client = await newClient(rig.api);
      await signIn(page, client.key);
      await page.getByRole('article').first().waitFor();
      expect(await page.getByRole('link', { name: 'Operate' }).count()).toBe(0);
      await page.goto(`${rig.service.httpOrigin}/admin/accounts`);
      await page.getByRole('heading', { name: 'For operators only' }).waitFor();
      await screenshot('operators-only');
    }));

  test('toggle maintenance, rename phones, and keep the filters in the address', () =>
    rig.inPage(async ({ page, screenshot }) => {
      const { id, name } = await freeDevice(rig.api);
      await operate(page, rig.service.key, 'Phones');
      await rowOf(page, id).getByText('Available').waitFor();
      await screenshot('fleet');
      await expectAccessible(page);

      await act(page, name, 'Maintenance…');
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Note').fill('the battery swells');
      await screenshot('fleet-maintenance');
      await dialog.getByRole('button', { name: 'Start maintenance' }).click();
      // Text that is filled in behind an open dialog is lost. The table may show the change before the dialog closes.
      await dialog.waitFor({ state: 'detached' });
      await rowOf(page, id).getByText('Note: the battery swells').waitFor();
      await rowOf(page, id).getByText('Next step: End the maintenance').waitFor();
      expect((await rig.api.get('/devices?page_size=100')).data).not.toMatchObject({
        items: expect.arrayContaining([expect.objectContaining({ id, status: 'available' })]),
      });

      await page.getByLabel('Condition').selectOption('Maintenance');
      await until('only that phone to be shown', async () => (await page.getByRole('row').count()) === 2);
      expect(new URL(page.url()).search).toBe('?condition=maintenance');
      await page.getByRole('searchbox').fill('no phone is called this');
      await page.getByRole('heading', { name: 'No matches' }).waitFor();
      await page.getByRole('main').getByRole('button', { name: 'Clear filters' }).last().click();
      await until('no filter in the address', () => new URL(page.url()).search === '');

      await act(page, name, 'End maintenance');
      await rowOf(page, id).getByText('Available').waitFor();
      await act(page, name, 'Rename');
      await dialog.getByLabel('Name').fill('Desk phone 7');
      await dialog.getByRole('button', { name: 'Rename' }).click();
      await dialog.waitFor({ state: 'detached' });
      await rowOf(page, id).getByText('Desk phone 7', { exact: true }).waitFor();
      await page.getByRole('searchbox').fill('desk PHONE');
      await until('only that phone to be shown', async () => (await page.getByRole('row').count()) === 2);
      await act(page, 'Desk phone 7', 'Rename');
      await dialog.getByLabel('Name').fill('');
      await dialog.getByRole('button', { name: 'Rename' }).click();
      await page.getByText(`The phone was renamed to ${name}.`).waitFor();
    }));

  test('create groups, add phones to them, and hide these from other accounts', () =>
    rig.inPage(async ({ page, screenshot }) => {
      const [insider, outsider] = [await newClient(rig.api), await newClient(rig.api)];
      const { id, name } = await freeDevice(rig.api);
      await operate(page, rig.service.key, 'Groups');
      await page.getByRole('heading', { name: 'No groups yet' }).waitFor();
      await page.getByRole('button', { name: 'New group' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'Create group' }).click();
      await dialog.getByText('Enter a name that no other group uses.').waitFor();
      await dialog.getByLabel('Name').fill('Payments lab');
      await dialog.getByLabel(insider.account).check();
      await dialog.getByText('1 account selected.').waitFor();
      await screenshot('group');
      await expectAccessible(page);
      await dialog.getByRole('button', { name: 'Create group' }).click();
      await rowOf(page, 'Payments lab').getByText(insider.account).waitFor();

      await page.getByRole('navigation', { name: 'Operate' }).getByRole('link', { name: 'Phones' }).click();
      await rowOf(page, id).getByText('None', { exact: true }).waitFor();
      await act(page, name, 'Group…');
      await dialog.getByLabel('Group').selectOption('Payments lab');
      await screenshot('group-of-phone');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await rowOf(page, id).getByText('Payments lab').waitFor();
      await dialog.waitFor({ state: 'detached' });
      expect((await insider.api.get(`/devices/${id}`)).code).toBe(0);
      expect((await outsider.api.get(`/devices/${id}`)).code).toBe(40004);
      await page.getByLabel('Group').selectOption('Without a group');
      await until('that phone to disappear', async () => (await rowOf(page, id).count()) === 0);
      expect(new URL(page.url()).search).toBe('?group=none');

      await page.getByRole('navigation', { name: 'Operate' }).getByRole('link', { name: 'Groups' }).click();
      await rowOf(page, 'Payments lab')
        .getByRole('link', { name: 'Phones of Payments lab: 1 phone' })
        .waitFor();
      await screenshot('groups');
      await expectAccessible(page);
      await act(page, 'Payments lab', 'Delete…');
      await dialog.getByText('It has 1 phone, which would become visible to all accounts.').waitFor();
      await dialog.getByRole('link', { name: 'Show its phones' }).click();
      await act(page, name, 'Group…');
      await dialog.getByLabel('Group').selectOption('None: all accounts can see it');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await page.getByText(`All accounts can now see ${name}.`).waitFor();
      await page.getByRole('navigation', { name: 'Operate' }).getByRole('link', { name: 'Groups' }).click();
      await act(page, 'Payments lab', 'Delete…');
      await dialog.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('heading', { name: 'No groups yet' }).waitFor();
      expect((await outsider.api.get(`/devices/${id}`)).code).toBe(0);
    }));

  test('move a phone to another host, and back when the first one still reports it', () =>
    rig.inPage(async ({ page, screenshot }) => {
      const { id, name } = await freeDevice(rig.api);
      const hostOf = async () =>
        succeeded(await rig.api.get('/admin/devices?page_size=100')).items.find(
          (device: { id: string }) => device.id === id,
        ).host.name;
      const first = await hostOf();
      await operate(page, rig.service.key, 'Phones');
      await act(page, name, 'Move to another host…');
      const dialog = page.getByRole('dialog', { name: `Move ${name} to another host` });
      await dialog.getByText(`${first} is the only host that is not revoked.`).waitFor();
      await page.keyboard.press('Escape');

      const added = await rig.service.command('hosts', 'add', '--name', 'rack-12');
      expect(added.code, added.stderr).toBe(0);
      await page.reload();
      await act(page, name, 'Move to another host…');
      await dialog.getByText(`Its current host is ${first}.`).waitFor();
      expect(await dialog.getByLabel('New host').locator('option').allInnerTexts()).toEqual(['rack-12']);
      for (const viewport of [NARROW, LOW]) {
        await page.setViewportSize(viewport);
        await expectWhole(dialog);
        await screenshot(`fleet-move-${viewport.width}`);
      }
      await expectAccessible(page);
      await dialog.getByRole('button', { name: 'Move', exact: true }).click();
      await page.getByText(`${name} was moved to rack-12.`).waitFor();
      const row = rowOf(page, id);
      await row.getByText('Offline').waitFor();
      expect(await hostOf()).toBe('rack-12');

      await row.getByText(`The host ${first} also reports this device.`).waitFor();
      await act(page, name, 'Move to another host…');
      expect(await dialog.getByLabel('New host').inputValue()).not.toBe('');
      await dialog.getByRole('button', { name: 'Move', exact: true }).click();
      await row.getByText('Available').waitFor();
      expect(await hostOf()).toBe(first);
    }));

  test('release a phone with a reason that its user sees', () =>
    rig.inPage(async ({ page, screenshot }) => {
      const client = await newClient(rig.api);
      await using loan = await borrowConnected(client.api);
      await operate(page, rig.service.key, 'Phones');
      const row = rowOf(page, loan.device.id);
      await row.getByText(client.account).waitFor();
      await act(page, loan.device.name, 'End session…');
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: 'End session' }).click();
      await dialog.getByText('Enter a reason. It is shown to the user.').waitFor();
      await dialog.getByLabel('Reason').fill('The phone is needed for a demonstration');
      await screenshot('fleet-release');
      await expectAccessible(page);
      await dialog.getByRole('button', { name: 'End session' }).click();
      await row.getByText('Available').waitFor();

      await page.getByRole('navigation', { name: 'Operate' }).getByRole('link', { name: 'Sessions' }).click();
      const ended = rowOf(page, loan.session.session_id);
      await ended.getByText('The phone is needed for a demonstration').waitFor();
      await page.getByLabel('Account', { exact: true }).selectOption(client.account);
      await until(
        'only phones of that account to be shown',
        async () => (await page.getByRole('row').count()) === 2,
      );
      await screenshot('fleet-sessions');
      await expectAccessible(page);
      await page.setViewportSize(NARROW);
      await ended.getByText('Minutes', { exact: true }).waitFor();
      await ended.getByText('Actions', { exact: true }).waitFor({ state: 'hidden' });
      await page.setViewportSize(WIDE);

      await signOut(page);
      await signIn(page, client.key);
      await page.getByRole('link', { name: 'Phones', exact: true }).waitFor();
      await page.goto(`${rig.service.httpOrigin}/sessions/${loan.session.session_id}`);
      await page.getByText('The phone is needed for a demonstration').waitFor();
    }));

  test('show the disk space that an account’s apps take, and limit it', () =>
    rig.inPage(async ({ page, screenshot }) => {
      const client = await newClient(rig.api, { limits: { max_app_bytes: 500_000 } });
      const headers = { 'content-type': 'application/octet-stream' };
      const body = makeApk({ packageName: 'com.example.storage' });
      succeeded(await client.api.request('POST', '/apps', { body, headers }));
      const limit = async () =>
        succeeded(await rig.api.get('/admin/accounts?page_size=100')).items.find(
          (account: { id: string }) => account.id === client.accountId,
        ).max_app_bytes;
      await operate(page, rig.service.key, 'Accounts');
      const dialog = page.getByRole('dialog');
      const space = dialog.getByLabel('Disk space for apps, MB');
      const save = async () => {
        await dialog.getByRole('button', { name: 'Save' }).click();
        await dialog.waitFor({ state: 'detached' });
      };
      await act(page, client.account, 'Edit…');
      await dialog.getByText('1 MB in use. Leave empty for no limit.').waitFor();
      expect(await space.inputValue()).toBe('1');
      await dialog.getByLabel('Minutes per month').fill('600');
      await save();
      expect(await limit()).toBe(500_000);

      await act(page, client.account, 'Edit…');
      await space.fill('0');
      await dialog.getByText('Below the 1 MB in use: existing apps stay').waitFor();
      await dialog.getByLabel('Minutes per month').fill('many');
      await dialog.getByLabel('Concurrent sessions').fill('many');
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.getByText('Enter a whole number from 0 to 1,000,000,000').first().waitFor();
      for (const viewport of [NARROW, LOW]) {
        await page.setViewportSize(viewport);
        await expectWhole(dialog);
        await screenshot(`account-edit-${viewport.width}`);
      }
      await expectAccessible(page);
      await dialog.getByLabel('Minutes per month').fill('');
      await dialog.getByLabel('Concurrent sessions').fill('');
      await save();
      expect(await limit()).toBe(0);

      await act(page, client.account, 'Edit…');
      await space.fill('');
      await save();
      expect(await limit()).toBe(null);
      await page.getByRole('link', { name: client.account }).click();
      await page.getByText('Disk space for apps: 1 MB, no limit.').waitFor();
    }));

  test('create accounts, keep the input on an error, limit and disable them, and create keys', () =>
    rig.inPage(
      async ({ page, screenshot }) => {
        await operate(page, rig.service.key, 'Accounts');
        await rowOf(page, 'default').waitFor();
        await page.getByRole('button', { name: 'New account' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByLabel('Name').fill('default');
        await dialog.getByLabel('Minutes per month').fill('many');
        await dialog.getByRole('button', { name: 'Create account' }).click();
        await dialog.getByText('Enter a whole number from 0 to').waitFor();
        await dialog.getByLabel('Minutes per month').fill('600');
        await dialog.getByLabel('Concurrent sessions').fill('3');
        await dialog.getByRole('button', { name: 'Create account' }).click();
        await dialog.getByText('it is already used by another account; choose another name.').waitFor();
        await screenshot('accounts-refused');
        expect(await dialog.getByLabel('Minutes per month').inputValue()).toBe('600');
        await dialog.getByLabel('Name').fill('quality');
        await dialog.getByRole('button', { name: 'Create account' }).click();
        await rowOf(page, 'quality').getByText('0 of 600').waitFor();
        await screenshot('accounts');
        await expectAccessible(page);

        await act(page, 'quality', 'Edit…');
        await dialog.getByLabel('Minutes per month').fill('');
        await dialog.getByRole('button', { name: 'Save' }).click();
        await rowOf(page, 'quality').getByText('0, no limit').waitFor();

        await act(page, 'quality', 'Keys');
        await page.getByRole('heading', { name: 'quality', level: 1 }).waitFor();
        await page.getByRole('button', { name: 'New key' }).click();
        await dialog.getByLabel('Name').fill('build server');
        await dialog.getByRole('button', { name: 'Create key' }).click();
        const key = await dialog.getByLabel('API key').inputValue();
        const usage = succeeded(await rig.api.withKey(key).get<{ account: string }>('/usage'));
        expect(usage.account).toBe('quality');
        await dialog.getByRole('button', { name: 'Done' }).click();
        await rowOf(page, 'build server').getByText('Valid', { exact: true }).waitFor();
        await screenshot('account');
        await expectAccessible(page);

        await act(page, 'quality', 'Disable…');
        await dialog.getByRole('button', { name: 'Disable' }).click();
        await page.getByText('Disabled', { exact: true }).waitFor();
        await until(
          'the key to be refused',
          async () => (await rig.api.withKey(key).get('/usage')).code === 40001,
        );
        await act(page, 'quality', 'Enable');
        await page.getByText('Enabled', { exact: true }).waitFor();
        await rowOf(page, 'build server').getByRole('button', { name: 'Revoke build server' }).click();
        await dialog.getByRole('button', { name: 'Revoke', exact: true }).click();
        await rowOf(page, 'build server').getByText('Revoked', { exact: true }).waitFor();
      },
      // The browser itself logs the status 400 for the name that is already in use.
      [/status of 400/],
    ));
});
