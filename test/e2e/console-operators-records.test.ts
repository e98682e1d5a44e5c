import { createReadStream } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Client, newClient } from '../api/kit/clients.ts';
import { succeeded } from '../black-box/kit/api.ts';
import { borrowConnected } from '../black-box/kit/borrow.ts';
import { until } from '../black-box/kit/wait.ts';
import { DAY_MS, expectAccessible, HOUR_MS, isNearlyOver, operate, rowOf, TABLET } from './console-checks.ts';
import { type ConsoleRig, startConsole } from './console-kit.ts';

let rig: ConsoleRig;

beforeAll(async () => {
  rig = await startConsole();
});
afterAll(() => rig?.[Symbol.asyncDispose]());

interface Entry {
  at: string;
  account: { name: string } | null;
  action: string;
  code: number;
  targets: { kind: string; id: string }[];
}

/** Presses Export and returns the name and the parsed lines of the saved file. */
async function exported(page: Page): Promise<{ name: string; entries: Entry[] }> {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  const file = await download;
  await page.getByText('The matching entries were saved, one JSON object per line.').last().waitFor();
  const lines = (await text(createReadStream(await file.path()))).split('\n');
  expect(lines.pop()).toBe('');
  return { name: file.suggestedFilename(), entries: lines.map((line) => JSON.parse(line)) };
}

/** Returns a date in the browser's time zone, in the format of a date field. */
const dayFromNow = (page: Page, days: number) =>
  page.evaluate((ahead) => {
    const day = new Date();
    day.setDate(day.getDate() + ahead);
    const two = (part: number) => String(part).padStart(2, '0');
    return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
  }, days);

const dataRows = async (page: Page) => (await page.getByRole('row').count()) - 1;

describe('the page of hosts', () => {
  test('shows their status and next steps, links to their phones, and revokes a host after a confirmation', () =>
    rig.inPage(async ({ page, screenshot }) => {
      await using loan = await borrowConnected(rig.api);
      await operate(page, rig.service.key, 'Hosts');
      await page.getByRole('button', { name: 'Add host' }).click();
      const adding = page.getByRole('dialog');
      await adding.getByRole('button', { name: 'Add host' }).click();
      await adding.getByText('Enter a name to recognize the host by.').waitFor();
      await adding.getByLabel('Name').fill('berlin-shelf');
      await adding.getByRole('button', { name: 'Add host' }).click();
      const credential = await adding.getByLabel('Credential').inputValue();
      expect(credential).toMatch(/^host_\S+\.SU[A-Z2-7]{56}$/);
      await screenshot('hosts-credential');
      await expectAccessible(page);
      await adding.getByRole('button', { name: 'Done' }).click();
      expect(await page.content()).not.toContain(credential);
      await page.getByText('2 hosts', { exact: true }).waitFor();
      const berlin = rowOf(page, 'berlin-shelf');
      await berlin.getByText('Not reporting', { exact: true }).waitFor();
      await berlin.getByText('It has not reported yet. Start “phonebooth agent” on it').waitFor();
      await berlin.getByText('Never', { exact: true }).waitFor();
      expect(await berlin.getByRole('link').count()).toBe(0);

      const own = page.getByRole('row').filter({ hasText: 'Up' });
      await own.getByRole('link', { name: /available, 1 busy$/ }).waitFor();
      await own.getByRole('cell', { name: '1', exact: true }).waitFor();
      await screenshot('hosts');
      await expectAccessible(page);

      await berlin.getByRole('button', { name: 'Revoke…' }).click();
      const dialog = page.getByRole('dialog', { name: 'Revoke berlin-shelf?' });
      await dialog.getByText('no session ends, because it has no live session').waitFor();
      await expectAccessible(page);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await berlin.getByText('Not reporting', { exact: true }).waitFor();
      await berlin.getByRole('button', { name: 'Revoke…' }).click();
      await screenshot('hosts-revoke');
      await dialog.getByRole('button', { name: 'Revoke permanently' }).click();
      await page.getByText('berlin-shelf was revoked.').waitFor();
      await berlin.getByText('Revoked', { exact: true }).waitFor();
      expect(await berlin.getByRole('button').count()).toBe(0);

      await own.getByRole('link').click();
      await page.getByRole('heading', { name: 'Phones', level: 1 }).waitFor();
      expect(new URL(page.url()).searchParams.get('host')).not.toBeNull();
      await rowOf(page, loan.device.id).getByText('In use').waitFor();
      expect(await dataRows(page)).toBe(4);
    }));
});

describe('the utilisation page', () => {
  test('shows a chart with keyboard navigation, summary cards and a table for the selected period', () =>
    rig.inPage(async ({ page, screenshot }) => {
      await using loan = await borrowConnected(rig.api);
      expect(loan.session.status).toBe('connected');
      const used = () =>
        rig.api
          .get<{ hours: { in_use_minutes: number; offered_minutes: number }[] }>('/admin/utilisation')
          .then((answer) => succeeded(answer).hours.at(-1)!);
      // Usage is counted once a minute.
      const isCounted = async () => !isNearlyOver(HOUR_MS) && (await used()).offered_minutes > 0;
      await until('a minute to be sampled', isCounted, { deadlineMs: 180_000, everyMs: 250 });
      await operate(page, rig.service.key, 'Utilisation');
      const main = page.getByRole('main');
      await main.getByText(/^\d+ of \d+ device-minutes offered$/).waitFor();
      await main.getByRole('heading', { name: 'Device-minutes per hour, last 24 hours' }).waitFor();
      await until(
        'a bar',
        async () => ((await main.locator('svg[data-chart] path').first().getAttribute('d')) ?? '') !== '',
      );
      await screenshot('utilisation');
      await expectAccessible(page);

      await main.getByRole('group', { name: /^Device-minutes per hour/ }).focus();
      for (let hour = 1; hour < 24; hour += 1) await page.keyboard.press('ArrowRight');
      const figures = main.getByRole('status');
      await figures.getByText(/· \d+ %/).waitFor();
      await figures.getByText('Offered, not in use').waitFor();
      await screenshot('utilisation-hour');

      await main.getByText('Show as a table').click();
      const table = main.getByRole('table');
      expect(await table.getByRole('row').count()).toBe(25);
      await table
        .getByRole('row')
        .last()
        .getByText(/^\d+ %$/)
        .waitFor();
      await main.getByLabel('Time', { exact: true }).selectOption('Last 3 days');
      await main.getByRole('heading', { name: 'Device-minutes per hour, last 3 days' }).waitFor();
      await until('72 hours', async () => (await table.getByRole('row').count()) === 73);
      expect(new URL(page.url()).search).toBe('?hours=72');
      await page.reload();
      await main.getByRole('heading', { name: 'Device-minutes per hour, last 3 days' }).waitFor();
      await expectAccessible(page);
    }));
});

describe('the audit page', () => {
  let client: Client;
  let sessionId: string;
  let deviceId: string;
  let deviceName: string;

  beforeAll(async () => {
    await until('a day that is not about to end', () => !isNearlyOver(DAY_MS), { deadlineMs: 90_000 });
    client = await newClient(rig.api);
    const loan = await borrowConnected(client.api);
    sessionId = loan.session.session_id;
    deviceId = loan.device.id;
    deviceName = loan.device.name;
    await client.api.post(`/sessions/${sessionId}/extend`, { duration: 0 });
    await loan[Symbol.asyncDispose]();
  });

  test('shows who did what to which object, filtered by account, action, identifier and day', () =>
    rig.inPage(async ({ page, screenshot }) => {
      await operate(page, rig.service.key, 'Audit trail');
      await rowOf(page, sessionId).first().waitFor();
      await page.getByRole('main').getByLabel('Account', { exact: true }).selectOption(client.account);
      await until('only entries of that account', async () => (await dataRows(page)) === 3);
      await rowOf(page, 'End a session').getByText('Succeeded', { exact: true }).waitFor();
      await rowOf(page, 'Extend a session').getByText('Rejected (40000)').waitFor();
      const begun = rowOf(page, 'Connect to a phone');
      await begun.getByText(client.account).waitFor();
      await begun.getByText(`key ${client.key.slice(0, 8)}…, from`).waitFor();
      await begun.getByText(deviceId).waitFor();
      await begun.getByText(`Phone ${deviceName}`).waitFor();
      await begun.getByText(/:\d\d:\d\d/).waitFor();
      await screenshot('audit');
      await expectAccessible(page);
      await page.setViewportSize(TABLET);
      await until('both days to be in the same row', async () => {
        const [from, to] = [page.getByLabel('From'), page.getByLabel('Until')];
        return (await from.boundingBox())!.y === (await to.boundingBox())!.y;
      });

      await page.getByLabel('Action', { exact: true }).selectOption('End a session');
      await until('only entries of ended sessions', async () => (await dataRows(page)) === 1);
      await page.getByRole('button', { name: 'Clear filters' }).click();
      await page.getByRole('searchbox').fill(sessionId);
      await until('only entries about that session', async () => (await dataRows(page)) === 3);
      await page.getByLabel('Until').fill(await dayFromNow(page, -1));
      await page.getByRole('heading', { name: 'No matches' }).waitFor();
      await screenshot('audit-nothing');
      await page.getByLabel('Until').fill(await dayFromNow(page, 0));
      await until('today’s', async () => (await dataRows(page)) === 3);
      await page.getByLabel('From').fill(await dayFromNow(page, 1));
      await page.getByRole('heading', { name: 'No matches' }).waitFor();
      await page.getByLabel('From').fill(await dayFromNow(page, 0));
      await until('today’s entries again', async () => (await dataRows(page)) === 3);
      const kept = page.url();
      await page.reload();
      await until('the same entries after a reload', async () => (await dataRows(page)) === 3);
      expect(page.url()).toBe(kept);
    }));

  test('downloads all matching entries as JSON lines without secrets', () =>
    rig.inPage(async ({ page }) => {
      await operate(page, rig.service.key, 'Audit trail');
      await page.getByRole('searchbox').fill(sessionId);
      await until('only entries about that session', async () => (await dataRows(page)) === 3);
      const { name, entries } = await exported(page);
      expect(name).toMatch(/^Audit-trail-\d{4}(-\d\d){5}\.jsonl$/);
      expect(entries.map(({ action, code }) => [action, code])).toEqual([
        ['sessions.disconnect', 0],
        ['sessions.extend', 40000],
        ['devices.connect', 0],
      ]);
      expect(entries.at(-1)).toMatchObject({
        account: { id: client.accountId, name: client.account },
        targets: [
          { kind: 'device', id: deviceId },
          { kind: 'session', id: sessionId },
        ],
      });

      await page.getByRole('button', { name: 'Clear filters' }).click();
      await until('the complete download', async () => (await dataRows(page)) > 3);
      const all = (await exported(page)).entries;
      expect(all.length).toBeGreaterThan(3);
      expect(JSON.stringify(all)).not.toContain(client.key);
      const times = all.map(({ at }) => Date.parse(at));
      expect(times).toEqual(times.toSorted((one, other) => other - one));
    }));

  test('explains why a download failed', () =>
    rig.inPage(
      async ({ page }) => {
        await operate(page, rig.service.key, 'Audit trail');
        await page.route(/format=jsonl/, (route) => route.fulfill({ status: 503, body: '{}' }));
        await page.getByRole('button', { name: 'Export' }).click();
        await page.getByText('The service is starting, or its database is unavailable.').waitFor();
        await page.getByRole('button', { name: 'Export' }).waitFor();
      },
      [/status of 503/],
    ));
});
