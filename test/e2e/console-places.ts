import type { Page } from 'playwright-core';
import { type Api, succeeded } from '../black-box/kit/api.ts';
import { type BorrowRequest, borrowConnected } from '../black-box/kit/borrow.ts';
import { until } from '../black-box/kit/wait.ts';
import { chooseMore, openTools, waitForVideo } from './console-kit.ts';

/** Content of the pages: live sessions, an ended session with a recording, and an account to manage. */
export interface World {
  live: BorrowRequest;
  /** A second live session, shown beside the first on the wall. */
  second: BorrowRequest;
  ended: BorrowRequest;
  /** Path of the page of a link to the recording of the ended session. */
  recordingLink: string;
  accountId: string;
}

export async function fillWorld(api: Api): Promise<World> {
  const ended = await borrowConnected(api, { duration: 30, record: true });
  succeeded(await api.post(`/admin/devices/${ended.device.id}/release`, { reason: 'Needed for a talk' }));
  const { page: recordingLink } = succeeded(
    await api.post<{ page: string }>(`/sessions/${ended.session.session_id}/recording-links`, {}),
  );
  const live = await borrowConnected(api, { duration: 30 });
  const account = succeeded(
    await api.post<{ id: string }>('/admin/accounts', { name: 'checkout', quota_minutes: 600 }),
  );
  succeeded(await api.post(`/admin/accounts/${account.id}/keys`, { name: 'build server', role: 'user' }));
  succeeded(await api.post('/admin/groups', { name: 'Payments lab', accounts: [account.id] }));
  const second = await borrowConnected(api, { duration: 30 });
  return { live, second, ended, recordingLink, accountId: account.id };
}

/** A page in a certain state, and how to recognize that it has loaded. */
export interface Place {
  name: string;
  path: string;
  ready(page: Page): Promise<unknown>;
}

const heading = (name: string | RegExp) => (page: Page) =>
  page.getByRole('heading', { name, level: 1 }).waitFor();

const phones = (page: Page) => page.getByRole('button', { name: 'Connect' }).nth(1).waitFor();

/** All pages that a signed-in operator can open. */
export function placesOf({ live, second, ended, recordingLink, accountId }: World): Place[] {
  const screen = ({ device }: BorrowRequest) => screenOf(device.name);
  const admin = (section: string, title: string, seen: (page: Page) => Promise<unknown>): Place => ({
    name: `admin-${section}`,
    path: `/admin/${section}`,
    ready: async (page) => {
      await heading(title)(page);
      await seen(page);
    },
  });
  const rows = (page: Page) => page.getByRole('row').nth(1).waitFor();
  const chart = (page: Page) => page.locator('svg[data-chart]').waitFor();
  return [
    { name: 'devices-grid', path: '/devices', ready: phones },
    {
      name: 'devices-table',
      path: '/devices',
      ready: async (page) => {
        await page.getByRole('button', { name: 'Show as a table' }).click();
        await page.getByRole('row').nth(3).waitFor();
      },
    },
    {
      name: 'connect',
      path: '/devices',
      ready: async (page) => {
        await page.getByRole('button', { name: 'Show as cards' }).click();
        await phones(page);
        await page.getByRole('button', { name: 'Connect' }).first().click();
        await page.getByRole('dialog').getByText('Duration').waitFor();
      },
    },
    {
      name: 'any-phone',
      path: '/devices',
      ready: async (page) => {
        await page.getByRole('button', { name: 'Any phone' }).click();
        await page.getByRole('dialog').getByText('Duration').waitFor();
      },
    },
    {
      name: 'devices-nothing',
      path: '/devices?q=no+phone+is+called+this',
      ready: (page) => page.getByRole('heading', { name: 'No phone matches' }).waitFor(),
    },
    { name: 'session', path: `/sessions/${live.session.session_id}`, ready: screen(live) },
    {
      name: 'session-tools',
      path: `/sessions/${live.session.session_id}`,
      ready: async (page) => {
        await screen(live)(page);
        await openTools(page);
        await page.getByRole('button', { name: 'Open Paint' }).waitFor();
      },
    },
    {
      name: 'session-more',
      path: `/sessions/${live.session.session_id}`,
      ready: async (page) => {
        await screen(live)(page);
        await page.getByRole('button', { name: 'More', exact: true }).click();
        await page.getByRole('menu').waitFor();
      },
    },
    {
      name: 'session-statistics',
      path: `/sessions/${live.session.session_id}`,
      ready: async (page) => {
        await screen(live)(page);
        await chooseMore(page, 'Statistics');
        await page.getByRole('region', { name: 'Statistics' }).waitFor();
      },
    },
    {
      name: 'wall',
      path: '/wall',
      ready: (page) => Promise.all([live, second].map((loan) => screen(loan)(page))),
    },
    {
      name: 'session-released',
      path: `/sessions/${ended.session.session_id}`,
      ready: (page) => page.getByText('Needed for a talk').waitFor(),
    },
    {
      name: 'session-unknown',
      path: '/sessions/ses_none',
      ready: (page) => page.getByText('This session does not exist').waitFor(),
    },
    { name: 'sessions', path: '/sessions', ready: rows },
    {
      name: 'session-details',
      path: `/sessions/${ended.session.session_id}/details`,
      ready: (page) => page.getByText('Needed for a talk').waitFor(),
    },
    {
      name: 'session-details-live',
      path: `/sessions/${live.session.session_id}/details`,
      ready: (page) => page.getByRole('link', { name: 'Open session' }).waitFor(),
    },
    {
      name: 'replay',
      path: `/sessions/${ended.session.session_id}/replay`,
      ready: (page) => page.getByRole('listbox').getByRole('option').first().waitFor(),
    },
    {
      name: 'replay-link',
      path: recordingLink,
      ready: (page) => page.getByRole('listbox').getByRole('option').first().waitFor(),
    },
    { name: 'apps', path: '/apps', ready: heading('Apps') },
    { name: 'usage', path: '/usage', ready: chart },
    { name: 'keys', path: '/keys', ready: rows },
    { name: 'webhooks', path: '/webhooks', ready: heading('Webhooks') },
    {
      name: 'account-menu',
      path: '/usage',
      ready: async (page) => {
        await page.getByRole('button', { name: /^Account/ }).click();
        await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
      },
    },
    admin('devices', 'Phones', rows),
    admin('hosts', 'Hosts', rows),
    admin('accounts', 'Accounts', rows),
    { name: 'admin-account', path: `/admin/accounts/${accountId}`, ready: rows },
    admin('groups', 'Groups', rows),
    {
      name: 'admin-group',
      path: '/admin/groups',
      ready: async (page) => {
        await page.getByRole('button', { name: 'New group' }).click();
        await page.getByRole('dialog').getByLabel('checkout').waitFor();
      },
    },
    admin('users', 'Users', (page) => page.getByText('No users yet').waitFor()),
    admin('sessions', 'Sessions', rows),
    admin('webhooks', 'Webhooks', (page) => page.getByText('No webhooks yet').waitFor()),
    admin('utilisation', 'Utilisation', chart),
    admin('audit', 'Audit trail', rows),
    { name: 'admin-not-found', path: '/admin/nothing', ready: heading('Page not found') },
    { name: 'not-found', path: '/nothing/here', ready: heading('Page not found') },
  ];
}

const screenOf = (name: string) => async (page: Page) => {
  await waitForVideo(page.getByLabel(`Screen of ${name}`));
  await until(
    'the video to be live',
    async () => (await page.getByText('Waiting for the video').count()) === 0,
  );
};
