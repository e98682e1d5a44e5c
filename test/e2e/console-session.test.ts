import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { borrow, borrowConnected } from '../black-box/kit/borrow.ts';
import { until } from '../black-box/kit/wait.ts';
import { isNightly, promised } from '../nightly.ts';
import { stopOf, tabTo } from './browser-focus.ts';
import { expectAccessible, isSideways, LOW, NARROW, WIDE, ZOOMED } from './console-checks.ts';
import {
  type ConsoleRig,
  changed,
  chooseMore,
  commandsSent,
  connectInPage,
  drag,
  endSessionInPage,
  openSession,
  openTools,
  settled,
  signIn,
  startConsole,
  takesCommands,
  tap,
  unlock,
} from './console-kit.ts';

let rig: ConsoleRig;

beforeAll(async () => {
  rig = await startConsole({ PHONEBOOTH_SIMULATED_PHONES: '3' });
});
afterAll(() => rig?.[Symbol.asyncDispose]());

describe('the session page', () => {
  test('fits the window or has the actual size, and shows the time left in full screen', () =>
    rig.inPage(async ({ page, screenshot }) => {
      await signIn(page, rig.service.key);
      const { canvas } = await connectInPage(page, rig.api);
      await expectAccessible(page);
      const fitted = (await canvas.boundingBox())!;
      await chooseMore(page, 'Actual size');
      await until('one page pixel per phone pixel', () =>
        canvas.evaluate((element: HTMLCanvasElement) => {
          const { width, height } = element.getBoundingClientRect();
          return element.width === width && element.height === height;
        }),
      );
      expect((await canvas.boundingBox())!.height).toBeGreaterThan(fitted.height);
      await screenshot('actual-size');
      await chooseMore(page, 'Actual size');
      await until('the fitting size', async () => (await canvas.boundingBox())!.height === fitted.height);

      await page.getByRole('button', { name: 'Full screen' }).click();
      await page.getByRole('button', { name: 'End session' }).waitFor({ state: 'hidden' });
      expect(await page.evaluate(() => document.fullscreenElement?.tagName)).toBe('HTML');
      expect(await page.getByRole('timer').isVisible()).toBe(true);
      await openTools(page);
      const [timer, panel] = await Promise.all(
        [page.getByRole('timer'), page.getByRole('complementary', { name: 'Tools' })].map((element) =>
          element.boundingBox(),
        ),
      );
      expect(timer!.x + timer!.width, 'the timer is beside the tools').toBeLessThanOrEqual(panel!.x);
      await page.getByRole('button', { name: 'Close the tools' }).click();
      await screenshot('fullscreen');
      await page.getByRole('button', { name: 'Leave full screen' }).click();
      await page.getByRole('button', { name: 'End session' }).waitFor();
      expect(await page.evaluate(() => document.fullscreenElement)).toBeNull();
      await endSessionInPage(page);
    }));

  test('shows the buttons whole in every window, with one tab stop, arrow keys and shortcuts', () =>
    rig.inPage(async ({ page, screenshot }) => {
      await using loan = await borrowConnected(rig.api);
      const calls = commandsSent(page);
      await signIn(page, rig.service.key);
      await openSession(page, loan);
      await takesCommands(page);
      const bar = page.getByRole('toolbar', { name: 'Phone controls' });
      const isWhole = () =>
        bar.evaluate((element) => {
          const { top, left, right, bottom } = element.getBoundingClientRect();
          const header = document.querySelector('header')!.getBoundingClientRect();
          const isInside = top >= header.bottom && left >= 0 && right <= innerWidth && bottom <= innerHeight;
          const { scrollHeight, clientHeight, scrollWidth, clientWidth } = element;
          return isInside && scrollHeight <= clientHeight && scrollWidth <= clientWidth;
        });
      for (const [width, height] of [
        [LOW.width, LOW.height],
        [1280, 577],
        [1024, 500],
        [844, 390],
        [NARROW.width, NARROW.height],
      ] as const) {
        await page.setViewportSize({ width, height });
        await until(`the whole bar in a window of ${width}×${height}`, isWhole);
        const stops = await bar.locator('button[tabindex="0"]').count();
        expect(stops, 'tab stops of the bar').toBeLessThanOrEqual(1);
        await screenshot(`session-${width}x${height}`);
        if (isNightly || width >= LOW.width || width <= NARROW.width) await expectAccessible(page);
      }
      /** Waits until the focus is on an element. The toolbar moves it after the key has been handled. */
      const focusOn = (name: string) =>
        until(`the focus on ${name}`, async () => (await stopOf(page)).name === name);
      await chooseMore(page, 'Volume up');
      await until('the key of the menu', () => calls.some(({ params }) => params.key === 'VOLUME_UP'));

      await page.setViewportSize(LOW);
      await page.getByRole('link', { name: 'Phones' }).focus();
      await tabTo(page, /^button Back$/);
      await page.keyboard.press('ArrowDown');
      await focusOn('button Home');
      await page.getByRole('tooltip').getByText('Alt + H').waitFor();
      await page.keyboard.press('End');
      await focusOn('button More');
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name: 'Share to watch…' }).click();
      await page.getByRole('dialog', { name: 'Share to watch' }).waitFor();
      await focusOn('button Create link');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await focusOn('button More');
      expect(await page.getByRole('tooltip').count()).toBe(0);
      await page.getByRole('button', { name: 'Extend' }).click();
      await focusOn('input 15 min');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
      await focusOn('button Extend');
      await page.keyboard.press('Alt+s');
      await until('the key of the shortcut', () => calls.some(({ params }) => params.key === 'APP_SWITCH'));
    }));

  test('keeps the phone usable at 200 % zoom, with the tools open, and its outlines with forced colours', () =>
    rig.inPage(async ({ page, screenshot }) => {
      await using loan = await borrowConnected(rig.api);
      const calls = commandsSent(page);
      await page.setViewportSize(ZOOMED);
      await page.emulateMedia({ forcedColors: 'active' });
      await signIn(page, rig.service.key);
      const canvas = await openSession(page, loan);
      await takesCommands(page);
      const panel = page.getByRole('complementary', { name: 'Tools' });
      for (const size of [ZOOMED, { width: LOW.width / 2, height: Math.floor(LOW.height / 2) }]) {
        await page.setViewportSize(size);
        for (const name of ['Tools', 'Close the tools']) {
          await page.getByRole('button', { name, exact: true }).click();
          const isWhole = async () => {
            const boxes = [
              canvas,
              page.getByRole('toolbar'),
              page.getByRole('button', { name: 'End session' }),
            ];
            const places = await Promise.all(boxes.map((element) => element.boundingBox()));
            const isInside = places.every(
              (box) =>
                box!.x >= 0 && box!.x + box!.width <= size.width && box!.y + box!.height <= size.height,
            );
            // The header and the margins need the rest of the height.
            return isInside && places[0]!.height > size.height - 130;
          };
          await until(`a whole phone at ${size.width}×${size.height} after ${name}`, isWhole);
          await screenshot(`session-zoomed-${size.width}-${name}`);
          if (name === 'Tools') await panel.getByRole('tab', { name: 'Apps' }).waitFor();
          calls.length = 0;
          await tap(canvas, [0.5, 0.5]);
          await until('the touch', () => calls.some(({ method }) => method === 'touch'));
        }
        expect(await isSideways(page)).toBe(false);
      }
      await page.getByRole('button', { name: 'Extend' }).focus();
      await tabTo(page, /^button End session$/);
      const outline = await page.evaluate(() => {
        const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement!);
        return `${outlineStyle} ${outlineWidth}`;
      });
      expect(outline).toBe('solid 2px');
      await openTools(page);
      const background = (name: string) =>
        panel.getByRole('tab', { name }).evaluate((element) => getComputedStyle(element).backgroundColor);
      await until('a marked tab', async () => (await background('Apps')) !== (await background('Log')));
      await screenshot('session-forced-colours');
    }));

  test('opens the tools in a wide window, remembers their size and tab, and keeps the header in one row', () =>
    rig.inPage(async ({ page, screenshot }) => {
      await using loan = await borrowConnected(rig.api);
      await page.setViewportSize(WIDE);
      await signIn(page, rig.service.key);
      await openSession(page, loan);
      const panel = page.getByRole('complementary', { name: 'Tools' });
      const width = async () => (await panel.boundingBox())!.width;
      await panel.getByRole('tab', { name: 'Device' }).click();
      await panel.getByText(/^Android \d+ \(API level \d+\)$/).waitFor();
      await panel.getByText('75 GB free of 128 GB').waitFor();
      await panel.getByText(`/v1/sessions/${loan.session.session_id}/screenshot`).waitFor();
      await expectAccessible(page);
      const dark = panel.getByRole('checkbox', { name: 'Dark mode' });
      await dark.click();
      await until('dark mode', () => dark.isChecked());
      await panel.getByLabel('Time zone', { exact: true }).fill('Asia/Tokyo');
      await panel.getByRole('button', { name: 'Set: Time zone' }).click();
      await until('the conditions of the phone', async () => {
        const path = `/sessions/${loan.session.session_id}/conditions`;
        const { values } = (await rig.api.request('GET', path)).data;
        return values.dark_mode === true && values.time_zone === 'Asia/Tokyo';
      });
      await panel.getByText(/^This phone cannot change it: simulated phones/).waitFor();
      await screenshot('tools-device');
      await panel.getByRole('tab', { name: 'Files' }).click();
      await panel.getByText('This folder is empty.').waitFor();
      await panel
        .locator('input[type=file]')
        .setInputFiles([{ name: 'one & two.txt', mimeType: 'text/plain', buffer: Buffer.from('content') }]);
      const link = panel.getByRole('link', { name: 'one & two.txt' });
      await link.waitFor();
      const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
      expect(download.suggestedFilename()).toBe('one & two.txt');
      expect(await readFile(await download.path(), 'utf8')).toBe('content');
      await expectAccessible(page);
      await screenshot('tools-files');
      await panel.getByRole('button', { name: 'Delete one & two.txt' }).click();
      await panel.getByText('This folder is empty.').waitFor();
      await panel.getByRole('button', { name: 'Shared storage' }).click();
      await panel.getByRole('button', { name: 'Documents/' }).click();
      await panel.getByRole('button', { name: 'Delete Welcome.txt' }).click();
      await page.getByRole('button', { name: 'Delete', exact: true }).click();
      await until('the file to be deleted', async () => (await panel.getByRole('link').count()) === 1);
      await panel.getByRole('tab', { name: 'Location' }).click();
      await panel.getByLabel('Latitude').fill('91');
      await panel.getByRole('button', { name: 'Set location' }).click();
      await panel.getByText('Enter a number from -90 to 90.').waitFor();
      await panel.getByLabel('Latitude').fill('52.52, 13.405');
      await panel.getByRole('button', { name: 'Set location' }).click();
      await page.getByText('The phone’s location is 52.52, 13.405.').waitFor();
      await panel.getByRole('tab', { name: 'Log' }).click();
      const before = await width();
      const line = page.getByRole('separator', { name: 'Size of the tools' });
      await line.focus();
      await page.keyboard.press('ArrowLeft');
      await until('the wider panel', async () => (await width()) > before);
      const wider = await width();
      const { x, y, height } = (await line.boundingBox())!;
      await page.mouse.move(x + 6, y + height / 2);
      await page.mouse.down();
      await page.mouse.move(x - 60, y + height / 2, { steps: 4 });
      await page.mouse.up();
      // More than after the last step but one, so that no change is still to be rendered.
      await until('the panel to follow the pointer', async () => (await width()) > wider + 60);
      const last = await width();
      await expectAccessible(page);
      await screenshot('tools-wide');
      await page.reload();
      await panel.getByRole('tab', { name: 'Log', selected: true }).waitFor();
      expect(await width()).toBe(last);

      await page.setViewportSize(NARROW);
      await page.reload();
      await takesCommands(page);
      expect(await panel.count()).toBe(0);
      const [extend, end] = await Promise.all(
        ['Extend', 'End session'].map((name) => page.getByRole('button', { name }).boundingBox()),
      );
      expect(end!.y).toBe(extend!.y);
      expect(end!.x + end!.width).toBeLessThanOrEqual(NARROW.width);
      await openTools(page);
      await panel.getByRole('tab', { name: 'Log', selected: true }).waitFor();
      await line.focus();
      const sheet = (await panel.boundingBox())!.height;
      await page.keyboard.press('ArrowUp');
      await until('the higher sheet', async () => (await panel.boundingBox())!.height > sheet);
      expect(await isSideways(page)).toBe(false);
      await expectAccessible(page);
      await screenshot('tools-narrow');
    }));

  test('runs commands with Ctrl + K, and shows shortcuts with ?', () =>
    rig.inPage(async ({ page, screenshot }) => {
      await using loan = await borrowConnected(rig.api);
      const calls = commandsSent(page);
      await signIn(page, rig.service.key);
      const canvas = await openSession(page, loan);
      await takesCommands(page);
      const search = page.getByRole('combobox', { name: 'Search commands and phones' });
      // Also while the user types on the phone.
      await tap(canvas, [0.5, 0.1]);
      await page.getByText('Your typing goes to the phone.').waitFor();
      await page.keyboard.press('Control+k');
      await search.waitFor();
      await expectAccessible(page);
      await screenshot('palette');
      await page.keyboard.type('session rot');
      await page.keyboard.press('Enter');
      await until('the phone to rotate', () => calls.some(({ method }) => method === 'rotate'));
      await page.keyboard.press('Control+k');
      await search.fill('go to sessions');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor();
      await page.getByRole('columnheader', { name: 'Status' }).waitFor();
      await page.keyboard.press('Control+k');
      await search.fill(`open ${loan.device.name}`);
      await page.keyboard.press('Enter');
      await takesCommands(page);

      await page.keyboard.press('?');
      const help = page.getByRole('dialog', { name: 'Mouse and keyboard' });
      await help.getByText('Commands: connect, open, go to').waitFor();
      await expectAccessible(page);
      await screenshot('help');
      await page.keyboard.press('Escape');
    }));

  test('accepts all mouse buttons, the wheel and a pinch', () =>
    rig.inPage(async ({ page }) => {
      const calls = commandsSent(page);
      await signIn(page, rig.service.key);
      const { canvas } = await connectInPage(page, rig.api);
      await canvas.click({ button: 'right' });
      await canvas.click({ button: 'middle' });
      await canvas.hover();
      await page.mouse.wheel(0, 200);
      await until('the wheel event', () => calls.some(({ method }) => method === 'scroll'));
      expect(calls.find(({ method }) => method === 'scroll')!.params).toMatchObject({ dx: 0, dy: -2 });
      const keys = calls.filter(({ method }) => method === 'key').map(({ params }) => params.key);
      expect(keys).toEqual(['BACK', 'HOME']);

      await page.keyboard.down('Control');
      await drag(page, canvas, [0.5, 0.4], [0.5, 0.2]);
      await page.keyboard.up('Control');
      const touched = () => calls.filter(({ method }) => method === 'touch').map(({ params }) => params);
      await until('both fingers to be lifted', () => {
        return touched().filter(({ action }) => action === 'up').length === 2;
      });
      const touches = touched();
      expect(new Set(touches.map(({ pointer }) => pointer))).toEqual(new Set([0, 1]));
      const [one, other] = touches.slice(-2) as { x: number; y: number; action: string }[];
      expect([one!.action, other!.action]).toEqual(['up', 'up']);
      expect(one!.x + other!.x).toBeCloseTo(1);
      expect(one!.y + other!.y).toBeCloseTo(1);
      await endSessionInPage(page);
    }));

  test('types input method text, copies to the system clipboard, and releases the keyboard', () =>
    rig.inPage(async ({ page, screenshot }) => {
      const origin = rig.service.httpOrigin;
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
      const calls = commandsSent(page);
      await signIn(page, rig.service.key);
      const { canvas } = await connectInPage(page, rig.api);
      const home = await unlock(page, canvas);
      await tap(canvas, [0.5, 0.81]);
      await changed(canvas, home);
      await tap(canvas, [0.55, 0.08]);
      await page.getByText('Your typing goes to the phone.').waitFor();
      await screenshot('typing');

      await page.keyboard.press('Control+a');
      const keyboard = await page.context().newCDPSession(page);
      for (const text of ['に', 'にほ', '日本']) {
        await keyboard.send('Input.imeSetComposition', {
          text,
          selectionStart: text.length,
          selectionEnd: text.length,
        });
      }
      expect(calls.filter(({ method }) => method === 'text')).toEqual([]);
      await keyboard.send('Input.insertText', { text: '日本' });
      await until('the composed text', () => calls.some(({ method }) => method === 'text'));
      await page.keyboard.type('ß@');
      const typed = () => calls.filter(({ method }) => method === 'text').map(({ params }) => params.text);
      await until('the text that is typed after it', () => typed().length === 3);
      expect(typed()).toEqual(['日本', 'ß', '@']);

      await page.keyboard.press('Control+a');
      await page.keyboard.press('Control+c');
      await page.getByText('Copied on the phone and on this computer.').waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('日本ß@');

      const isTyping = () => page.evaluate(() => document.activeElement?.tagName === 'TEXTAREA');
      const prevented = await page.evaluateHandle(() => {
        const pressed: boolean[] = [];
        addEventListener('keydown', ({ key, defaultPrevented }) => {
          if (key === 'l') pressed.push(defaultPrevented);
        });
        return pressed;
      });
      await page.keyboard.press('Control+l');
      expect(await prevented.jsonValue()).toEqual([false]);
      expect(await isTyping()).toBe(true);
      await page.keyboard.press('Shift+Tab');
      expect(await isTyping()).toBe(false);
      await page.getByRole('button', { name: 'Type on the phone' }).click();
      expect(await isTyping()).toBe(true);
      await page.getByRole('button', { name: 'Stop typing on the phone' }).click();
      expect(await isTyping()).toBe(false);
      await endSessionInPage(page);
    }));

  test('measures the latency from touch to frame on request', () =>
    rig.inPage(async ({ page, screenshot }) => {
      await signIn(page, rig.service.key);
      const { canvas } = await connectInPage(page, rig.api);
      await openTools(page);
      const openPaint = page.getByRole('button', { name: 'Open Paint' });
      await openPaint.waitFor();
      const before = await settled(canvas);
      await openPaint.click();
      await changed(canvas, before);
      await page.getByRole('button', { name: 'Close the tools' }).click();
      await chooseMore(page, 'Statistics');
      const panel = page.getByRole('region', { name: 'Statistics' });
      await panel.getByText('Touch a still screen').waitFor();
      const box = (await canvas.boundingBox())!;
      let touches = 0;
      // On a busy machine, the frame of a touch can be drawn more than a second later. Such a touch does not count.
      const words = await until('the latency to be shown', async () => {
        const drawn = await settled(canvas);
        const [column, row] = [touches % 6, Math.floor(touches / 6)];
        touches += 1;
        await page.mouse.move(
          box.x + box.width * (0.2 + column * 0.1),
          box.y + box.height * (0.4 + row * 0.05),
        );
        await page.mouse.down();
        await changed(canvas, drawn, 0);
        await page.mouse.up();
        return /(\d+) ms, median (\d+)/.exec(await panel.innerText());
      });
      expect(Number(words[2])).toBeGreaterThan(0);
      expect(Number(words[2])).toBeLessThan(promised(1_000));
      await panel.getByText(/^\d+ ms$/).waitFor();
      // The bit rate of a still screen drops to 0 a moment later.
      await until('the bit rate to be shown', async () => {
        await page.mouse.click(box.x + box.width / 2, box.y + box.height * (0.3 + 0.4 * Math.random()));
        return /[1-9]\d* kbit\/s|Mbit\/s/.test(await panel.innerText());
      });
      await expectAccessible(page);
      await screenshot('statistics');
      await endSessionInPage(page);
    }));
});

describe('the time of a session', () => {
  test('shows a warning, extends with one click, and shows the usage after the end', () =>
    rig.inPage(async ({ page, screenshot }) => {
      const loan = await borrowConnected(rig.api, { duration: 1 });
      await signIn(page, rig.service.key);
      await openSession(page, loan);
      const warning = page.getByText(/^This session ends in less than/);
      await until('the warning', async () => (await warning.innerText()).includes('a minute'));
      await screenshot('expiring');
      await until('the time in the title', async () => /^0:\d\d · /.test(await page.title()));
      await page.getByRole('button', { name: 'Add 15 minutes' }).click();
      await page.getByText('15 minutes added.').waitFor();
      await warning.waitFor({ state: 'hidden' });

      const short = await borrow(rig.api, { duration: 1 });
      await page.goto(`${rig.service.httpOrigin}/sessions/${short.session.session_id}`);
      await until('the last warning', async () => (await warning.innerText()).includes('ten seconds'), {
        deadlineMs: 90_000,
      });
      await page.getByRole('heading', { name: 'Session ended' }).waitFor();
      const account = await page.getByRole('main').innerText();
      expect(account).toMatch(/The session reached its time limit\./);
      expect(account).toMatch(/Duration: (\d\d s|1 min)\. 1 minute charged\./);
      await screenshot('expired');
      await loan[Symbol.asyncDispose]();
    }));
});
