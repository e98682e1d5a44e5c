import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type App, type Page as Listed, succeeded } from '../black-box/kit/api.ts';
import { until } from '../black-box/kit/wait.ts';
import { type ApkOptions, makeApk, makePng } from '../fixtures/apk.ts';
import { lookAt } from './browser.ts';
import { expectAccessible } from './console-checks.ts';
import {
  type ConsoleRig,
  changed,
  commandsSent,
  connectInPage,
  endSessionInPage,
  openTools,
  settled,
  signIn,
  startConsole,
  tap,
  unlock,
} from './console-kit.ts';

let rig: ConsoleRig;

beforeAll(async () => {
  rig = await startConsole();
});
afterAll(() => rig?.[Symbol.asyncDispose]());

const ICON = [{ density: 480, file: 'res/icon.png', bytes: makePng(96, '#2f6fed') }];
/** Creates an APK whose package is named after its label. */
const apk = (label: string, options: ApkOptions = {}) =>
  makeApk({
    packageName: `com.example.${label.toLowerCase().replaceAll(' ', '')}`,
    label,
    version: '1.4.2',
    versionCode: 142,
    ...options,
  });
const fileOf = (name: string, buffer: Buffer) => ({ name, mimeType: 'application/octet-stream', buffer });

async function uploaded(bytes: Buffer): Promise<App> {
  const headers = { 'content-type': 'application/octet-stream' };
  return succeeded(await rig.api.request<App>('POST', '/apps', { body: bytes, headers }));
}
const listed = async () => succeeded(await rig.api.get<Listed<App>>('/apps?page_size=100')).items;

async function deleteAll(): Promise<void> {
  for (const { id } of await listed()) succeeded(await rig.api.request('DELETE', `/apps/${id}`));
}

/** Drops a file on the page, as a drag from the desktop does. */
async function dropFile(page: Page, target: string, name: string, bytes: Buffer): Promise<void> {
  const transfer = await page.evaluateHandle(
    ({ data, name }) => {
      const content = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([content], name));
      return dataTransfer;
    },
    { data: bytes.toString('base64'), name },
  );
  await page.dispatchEvent(target, 'dragover', { dataTransfer: transfer });
  await page.getByText(/^Drop /).waitFor();
  await page.dispatchEvent(target, 'drop', { dataTransfer: transfer });
}

describe('the page of apps', () => {
  test('uploads apps by button and by drop, lists them and deletes one after a confirmation', () =>
    rig.inPage(
      async ({ page, screenshot }) => {
        await signIn(page, rig.service.key);
        await page.getByRole('link', { name: 'Apps' }).click();
        await page.getByRole('heading', { name: 'No apps yet' }).waitFor();
        await screenshot('apps-empty');
        const field = page.locator('input[type=file]');
        await field.setInputFiles([
          fileOf('weather.apk', apk('Weather', { labels: { '': 'Weather' }, icons: ICON })),
          fileOf('notes.txt', Buffer.from('hello')),
          fileOf('broken.apk', Buffer.from('PK\x03\x04, and nothing else')),
        ]);
        await page.getByText('notes.txt is not an Android app.').waitFor();
        const weather = page.getByRole('row').filter({ hasText: 'com.example.weather' });
        await weather.getByRole('cell', { name: 'code 142' }).getByText('1.4.2').waitFor();
        await until('the icon to appear', () =>
          weather.locator('img').evaluate((image: HTMLImageElement) => image.naturalWidth === 96),
        );
        const refusal = page.getByRole('alert').filter({ hasText: /\S/ });
        await refusal.getByText('This file is not an Android app').waitFor();
        expect(await refusal.innerText()).toMatch(/Upload an \.apk, \.apks or \.xapk file\.$/);
        await screenshot('apps-refused');
        await page.getByRole('button', { name: 'Dismiss the failed upload of broken.apk' }).click();

        await dropFile(page, 'main', 'maps.apk', apk('Maps'));
        const maps = page.getByRole('row').filter({ hasText: 'com.example.maps' });
        await maps.waitFor();
        await screenshot('apps');

        await maps.getByRole('button', { name: 'Delete Maps' }).click();
        const dialog = page.getByRole('dialog', { name: 'Delete Maps?' });
        await screenshot('apps-delete');
        await dialog.getByRole('button', { name: 'Cancel' }).click();
        await maps.getByRole('button', { name: 'Delete Maps' }).click();
        await dialog.getByRole('button', { name: 'Delete', exact: true }).click();
        await maps.waitFor({ state: 'hidden' });
        expect((await listed()).map(({ name }) => name)).toEqual(['Weather']);
        await deleteAll();
      },
      // The browser itself logs the status 400 for a file that is not an app.
      [/status of 400/],
    ));

  test('shows the progress of a slow upload and cancels it', () =>
    rig.inPage(async ({ page, screenshot }) => {
      await signIn(page, rig.service.key);
      await page.getByRole('link', { name: 'Apps' }).click();
      const network = await page.context().newCDPSession(page);
      const speed = { offline: false, latency: 0, downloadThroughput: -1 };
      await network.send('Network.emulateNetworkConditions', { ...speed, uploadThroughput: 40_000 });
      const noise = Buffer.from(Array.from({ length: 2_000_000 }, () => Math.random() * 256));
      await page
        .locator('input[type=file]')
        .setInputFiles(fileOf('large.apk', apk('Large', { files: { 'assets/noise': noise } })));
      const bar = page.getByRole('progressbar', { name: 'Upload of large.apk' });
      await until('the upload to be in progress', async () => {
        const percent = Number(await bar.getAttribute('aria-valuenow'));
        return percent > 0 && percent < 100;
      });
      await screenshot('apps-uploading');
      await page.getByRole('button', { name: 'Cancel the upload of large.apk' }).click();
      await bar.waitFor({ state: 'hidden' });
      expect(await listed()).toEqual([]);
    }));

  test('pages through long lists', () =>
    rig.inPage(async ({ page }) => {
      for (let at = 1; at <= 21; at += 1) await uploaded(apk(`App ${at}`));
      await signIn(page, rig.service.key);
      await page.getByRole('link', { name: 'Apps' }).click();
      await page.getByText('Page 1 of 2').waitFor();
      await page.getByText('com.example.app21', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Next' }).click();
      await page.getByText('Page 2 of 2').waitFor();
      await page.getByText('com.example.app1', { exact: true }).waitFor();
      expect(new URL(page.url()).search).toBe('?page=2');
      await page.reload();
      await page.getByText('com.example.app1', { exact: true }).waitFor();
      await deleteAll();
    }));
});

describe('the session tools', () => {
  const tab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true });

  test('install an app chosen at connect or dropped, explain a failure, and manage the phone’s apps', () =>
    rig.inPage(async ({ page, screenshot }) => {
      await uploaded(apk('Too new', { minSdk: 99 }));
      await signIn(page, rig.service.key);
      const { canvas, name } = await connectInPage(page, rig.api, { app: 'Too new 1.4.2' });
      const failure = page.getByRole('status').filter({ hasText: 'Too new could not be installed.' });
      await failure.getByText('INSTALL_FAILED_OLDER_SDK').waitFor();
      await screenshot('install-failed');
      await failure.getByRole('button', { name: 'Dismiss' }).click();

      const uploads: string[] = [];
      page.on('request', (request) => {
        if (request.method() === 'POST' && request.url().endsWith('/apps')) uploads.push(request.url());
      });
      await dropFile(page, 'main', 'notes.txt', Buffer.from('hello'));
      await page.getByText('notes.txt is on the phone.').waitFor();
      expect(uploads).toEqual([]);

      await unlock(page, canvas);
      await openTools(page);
      await page.getByRole('button', { name: 'Open Paint' }).waitFor();
      const before = await settled(canvas);
      await dropFile(page, 'main', 'parcel.apk', apk('Parcel', { labels: { '': 'Parcel' }, icons: ICON }));
      await page.getByText('Parcel was installed.').waitFor();
      await changed(canvas, before, 0.001);
      await screenshot('tools-apps');

      const parcel = page.getByRole('listitem').filter({ hasText: 'com.example.parcel' });
      const home = await settled(canvas);
      await parcel.getByRole('button', { name: 'Open Parcel' }).click();
      const opened = await changed(canvas, home);
      await parcel.getByRole('button', { name: 'Stop Parcel' }).click();
      await changed(canvas, opened);
      await parcel.getByRole('button', { name: 'Uninstall Parcel' }).click();
      const dialog = page.getByRole('dialog', { name: 'Uninstall Parcel?' });
      await dialog.getByRole('button', { name: 'Uninstall' }).click();
      await parcel.waitFor({ state: 'hidden' });

      await page.getByLabel('Your apps').selectOption({ label: 'Parcel 1.4.2' });
      await page.getByRole('button', { name: 'Install', exact: true }).click();
      await parcel.waitFor();
      expect(await page.getByLabel(`Screen of ${name}`).isVisible()).toBe(true);
      await endSessionInPage(page);
      await deleteAll();
    }));

  test('transfer the clipboard in both directions and open addresses', () =>
    rig.inPage(async ({ page, screenshot }) => {
      const origin = rig.service.httpOrigin;
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
      await signIn(page, rig.service.key);
      const { canvas } = await connectInPage(page, rig.api);
      await unlock(page, canvas);
      await openTools(page);

      await tab(page, 'Open URL').click();
      await page.getByLabel('URL', { exact: true }).fill('two words');
      await page.getByRole('button', { name: 'Open on the phone' }).click();
      await page.getByText('Enter a URL, such as https://example.com.').waitFor();
      const before = await settled(canvas);
      await page.getByLabel('URL', { exact: true }).fill('example.org/welcome');
      await page.keyboard.press('Enter');
      await page.getByText('Opened https://example.org/welcome.').waitFor();
      await changed(canvas, before);
      await screenshot('tools-url');

      await tap(canvas, [0.55, 0.08]);
      await page.evaluate(() => navigator.clipboard.writeText('çopied hére, 日本'));
      await page.keyboard.press('Control+a');
      await page.keyboard.press('Control+v');
      await tab(page, 'Screen').click();
      await page.getByRole('button', { name: 'çopied hére, 日本' }).first().waitFor();

      await tap(canvas, [0.55, 0.08]);
      await page.keyboard.press('Control+a');
      await page.keyboard.type('typed there');
      await page.keyboard.press('Control+a');
      await page.keyboard.press('Control+c');
      await page.getByText('Copied on the phone and on this computer.').waitFor();
      await tab(page, 'Clipboard').click();
      const panel = page.getByRole('tabpanel');
      const fromPhone = panel.getByLabel('From the phone');
      expect(await fromPhone.inputValue()).toBe('typed there');
      await panel.getByRole('button', { name: 'Copy to this computer' }).click();
      await page.getByText('Copied.', { exact: true }).waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('typed there');
      await screenshot('tools-clipboard');

      await page.getByLabel('Text for the phone’s clipboard').fill('from the tool');
      await page.getByRole('button', { name: 'Copy to the phone’s clipboard' }).click();
      await panel.getByRole('button', { name: 'Read now' }).click();
      await until(
        'the clipboard text to appear',
        async () => (await fromPhone.inputValue()) === 'from the tool',
      );
      await endSessionInPage(page);
    }));

  test('show the log with filters and a pause, as text and as wide as the window, and the UI tree', () =>
    rig.inPage(async ({ page, screenshot }) => {
      const origin = rig.service.httpOrigin;
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
      const calls = commandsSent(page);
      await signIn(page, rig.service.key);
      const { canvas } = await connectInPage(page, rig.api);
      await openTools(page);
      await tab(page, 'Apps').focus();
      for (const name of ['Clipboard', 'Open URL', 'Log']) {
        await page.keyboard.press('ArrowRight');
        // The focus moves after the key has been handled.
        await page.getByRole('tab', { name, selected: true }).waitFor();
      }
      await unlock(page, canvas);
      const home = page.getByRole('button', { name: 'Home', exact: true });
      const log = page.getByRole('log');
      const lines = log.locator('p');
      await home.click();
      await lines.first().waitFor();
      await screenshot('tools-log');
      await page.getByLabel('Filter by tag or text').fill('no line has this');
      await page.getByText('No line matches.').waitFor();
      await page.getByLabel('Filter by tag or text').fill('');
      await page.getByRole('button', { name: 'Pause' }).click();
      // The lines are counted only now, because the phone's log of “Home” may continue to arrive until the log is
      // paused.
      const count = await lines.count();
      await page.getByRole('button', { name: 'App switcher' }).click();
      await page.getByText(/^Paused, \d+ new lines\.$/).waitFor();
      expect(await lines.count()).toBe(count);
      await page.getByRole('button', { name: 'Resume' }).click();
      await until('the log to continue', async () => (await lines.count()) > count);

      await tab(page, 'Apps').click();
      await page.getByRole('button', { name: 'Open Paint' }).click();
      await tab(page, 'Log').click();
      await page.getByLabel('App', { exact: true }).selectOption('com.phonebooth.paint');
      await page.getByRole('button', { name: 'Wrap long lines' }).click();
      const ofPaint = /^\S+Z D Activity \(com\.phonebooth\.paint\): onCreate\n$/;
      await page.getByRole('button', { name: 'Copy the lines shown' }).click();
      await page.getByText('1 line copied.').waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(ofPaint);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download the lines shown' }).click(),
      ]);
      expect(await readFile(await download.path(), 'utf8')).toMatch(ofPaint);

      await page.getByRole('button', { name: 'Move to the bottom of the window' }).click();
      const dock = page.getByRole('region', { name: 'Log' });
      const viewport = page.viewportSize()!;
      expect(await dock.boundingBox()).toMatchObject({ x: 0, width: viewport.width });
      expect(await tab(page, 'Log').count()).toBe(0);
      await expectAccessible(page);
      await screenshot('log-dock');
      await dock.getByRole('button', { name: 'Move beside the phone' }).click();
      await dock.waitFor({ state: 'hidden' });
      await lines.first().waitFor();
      await home.click();

      await tab(page, 'Screen').click();
      const boxes = page.locator('[data-overlay=screen] rect');
      await until('outlines on the phone’s screen', async () => (await boxes.count()) > 3);
      // Waits for the home screen: when the page first read the screen, the phone may still have been on its way
      // there.
      await page
        .getByRole('tabpanel')
        .getByRole('button', { name: /Settings$/ })
        .waitFor();
      const outline = (await page.locator('[data-overlay=screen]').boundingBox())!;
      expect(outline).toEqual(await canvas.boundingBox());
      await canvas.hover({ position: { x: outline.width / 2, y: outline.height * 0.81 } });
      const attributes = page.getByRole('tabpanel').locator('dl');
      await attributes.getByText('Clickable').waitFor();

      const panel = page.getByRole('tabpanel');
      const touches = () => calls.filter(({ method }) => method === 'touch').length;
      const touchesBefore = touches();
      await page.getByRole('button', { name: 'Select an element on the phone' }).click();
      // Not `tap`, because an overlay receives the click.
      await page.mouse.click(outline.x + outline.width / 2, outline.y + outline.height * 0.81);
      await page.mouse.move(0, 0);
      const chosen = panel.locator('li button[aria-pressed=true]');
      const picked = await until('the selected element', async () => (await chosen.count()) === 1 && chosen);
      await panel.getByRole('button', { name: 'Copy: XPath' }).click();
      await page.getByText('Copied.', { exact: true }).waitFor();
      const xpath = await page.evaluate(() => navigator.clipboard.readText());
      expect(touches()).toBe(touchesBefore);
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download as XML' }).click(),
      ]);
      const xml = await readFile(await file.path(), 'utf8');
      // The XPath finds one element of the exported file, which has the text of the selected one.
      const matches = await page.evaluate(
        ([xml, xpath]) => {
          const parsed = new DOMParser().parseFromString(xml!, 'text/xml');
          const found = parsed.evaluate(xpath!, parsed, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE);
          const element = found.snapshotItem(0) as Element | null;
          return { count: found.snapshotLength, label: element?.getAttribute('text') };
        },
        [xml, xpath] as const,
      );
      expect(matches.count).toBe(1);
      expect(await picked.innerText()).toContain(matches.label);
      await panel.getByRole('searchbox').fill('settings');
      const row = panel.getByRole('button', { name: /Settings$/ });
      await row.hover();
      await page.locator('[data-overlay=screen] rect[data-pointed]').waitFor();
      await expectAccessible(page);
      await screenshot('tools-screen');
      expect((await lookAt(canvas)).colours).toBeGreaterThan(12);
      await page.getByRole('button', { name: 'Close the tools' }).click();
      await boxes.first().waitFor({ state: 'detached' });
      await endSessionInPage(page);
    }));
});
