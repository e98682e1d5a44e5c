import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadImage } from '@napi-rs/canvas';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PhoneboothClient } from '../../src/client/phonebooth-client.ts';
import { openStore } from '../../src/store/open-store.ts';
import { silentLog } from '../../src/util/log.ts';
import { until } from '../black-box/kit/wait.ts';
import { makeApk } from '../fixtures/apk.ts';
import { type Service, startService } from '../fixtures/service.ts';
import { type Agent, agentOverHttp, agentOverStdio, stdioTransport } from './mcp-rig.ts';

let service: Service;
let api: PhoneboothClient;

beforeAll(async () => {
  service = await startService({ settings: { PHONEBOOTH_SIMULATED_PHONES: '4' } });
  api = new PhoneboothClient({ baseUrl: service.baseUrl, key: service.key });
});
afterAll(() => service?.[Symbol.asyncDispose]());

const idIn = (screen: string, pattern: RegExp) => pattern.exec(screen)![1]!;

/** An agent can use its phone before the service is notified that the session is connected. */
const connected = (session: string) =>
  until('the session to be connected', async () => (await api.getSession(session)).status === 'connected');

describe.each([
  ['HTTP', () => agentOverHttp(service)],
  ['HTTP without sessions (2026-07-28)', () => agentOverHttp(service, { pin: '2026-07-28' })],
  ['stdio', () => agentOverStdio(stdioTransport(service))],
])('over %s', (_, connect) => {
  test('an agent borrows a phone, reads it, touches it, waits, looks and ends the session', async () => {
    await using agent = await connect();
    const names = (await agent.client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['list_phones', 'borrow_phone', 'read_screen', 'wait_for']));
    expect(await agent.use('list_phones', { brand: 'google' })).toMatch(
      /^\S+: .+, google, OS \d+.*, \d+x\d+, /,
    );
    const session = await agent.borrow();
    expect(await agent.use('my_phones')).toMatch(new RegExp(`You have:\n.*${session}.*: [45] minutes left`));

    expect(await agent.use('launch_app', { app: 'notes', show: 'none' })).toMatch(/^Started Notes \(.*\)\.$/);
    expect(await agent.use('wait_for', { text: 'New note', show: 'none' })).toContain(
      '"New note" is on the screen',
    );
    const list = await agent.use('read_screen');
    const button = idIn(list, /(e\d+) button "New note" #new-note clickable \(0\.\d\d,0\.\d\d\)/);
    expect(await agent.use('tap', { element: button })).toContain(`Tapped ${button} button "New note".\n`);
    await agent.use('wait_for', { gone: 'New note' });
    const field = idIn(await agent.use('read_screen', { contains: 'focused' }), /(e\d+) textfield .*focused/);
    await agent.use('type_text', { element: field, text: 'Grüße 👋' });
    await agent.use('wait_for', { text: 'grüße 👋' });
    await agent.use('type_text', { element: field, text: 'replaced', replace: true, show: 'none' });
    await agent.use('wait_for', { text: 'replaced', show: 'none' });
    expect(await agent.use('read_screen')).toMatch(new RegExp(`${field} textfield "replaced"`));

    const { images, text } = await agent.ask('look', { max_side: 600 });
    const { width, height } = await loadImage(images[0]!);
    expect(height).toBe(600);
    expect(text).toMatch(new RegExp(`${width}x${height} px.*shows the screen of .*${session}`, 's'));

    expect(await agent.use('press_key', { key: 'home', show: 'none' })).toBe('Pressed HOME.');
    const swiped = await agent.ask('swipe', { direction: 'left', show: 'image' });
    expect(swiped.images).toHaveLength(1);
    expect(await agent.use('extend', { minutes: 5 })).toMatch(/for (8|9|10) more minutes/);
    expect(await agent.use('give_back')).toMatch(/has ended; [1-5] minutes? charged/);
    expect(await api.getSession(session)).toMatchObject({ status: 'disconnected', end_reason: 'client' });
    expect(await agent.ask('tap', { x: 0.5, y: 0.5 })).toMatchObject({
      isError: true,
      text: 'You have no phone. Borrow one with borrow_phone.',
    });
  });
});

test('an agent reads what it did in a recorded session, and saves the video', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'phonebooth-mcp-recording-'));
  {
    await using agent = await agentOverStdio(stdioTransport(service, undefined, ['--files', folder]));
    const session_id = await agent.borrow({ record: true, show: 'none' });
    await agent.use('tap', { x: 0.5, y: 0.25, show: 'none' });
    await agent.use('set_clipboard', { text: 'hunter2', show: 'none' });
    expect(await agent.ask('get_trajectory', { session_id })).toMatchObject({
      isError: true,
      text: expect.stringContaining('Call give_back first'),
    });
    expect(await agent.use('give_back')).toContain('It was recorded: call get_trajectory');
    const trajectory = await agent.use('get_trajectory', { session_id });
    expect(trajectory).toMatch(/^The recording is complete\.\nFiles: .*video-1\.mp4/);
    expect(trajectory).toMatch(
      /mark: tap x=0\.5 y=0\.25\n(.*\n)*.*tap \{"x":0\.5,"y":0\.25\} by controller, /,
    );
    expect(trajectory).toContain('mark: set_clipboard');
    expect(trajectory).not.toContain('hunter2');
    const part = await agent.use('get_trajectory', { session_id, offset: 1, limit: 1 });
    expect(part).toMatch(/Events: 2 to 2 of \d+\.\n.*\n\(Call again with offset 2 for more\.\)$/);
    expect(await agent.use('list_artifacts', { session_id })).toMatch(
      /^video-1\.mp4: video, \d+ bytes, at 0\.\d s/m,
    );
    const path = join(folder, 'a.mp4');
    await agent.use('save_artifact', { session_id, name: 'video-1.mp4', path });
    expect((await readFile(path)).toString('latin1', 4, 8)).toBe('ftyp');
  }
  await rm(folder, { recursive: true });
});

test('opens Notes and writes a note in four calls', async () => {
  await using agent = await agentOverHttp(service);
  const home = await agent.use('borrow_phone', { minutes: 5, wait_seconds: 90 });
  expect(home).toContain('The screen now:\ne1 ');
  const list = await agent.use('launch_app', { app: 'Notes' });
  const editor = await agent.use('tap', { element: idIn(list, /(e\d+) button "New note"/) });
  // The keyboard is one line, without its keys.
  expect(editor).toMatch(/e\d+ keyboard .*with 3\d keys; type_text does not need them/);
  expect(editor).not.toContain('#key-');
  const field = idIn(editor, /(e\d+) textfield .*focused/);
  expect(await agent.use('type_text', { text: 'hello' })).toContain(`${field} textfield "hello"`);

  // The clock in the status bar may change once.
  await until('an unchanged screen', async () =>
    (await agent.use('wait_for', { still_ms: 100 })).includes('The screen has not changed.'),
  );
  const keys = await agent.use('read_screen', { keys: true, contains: 'key-h' });
  expect(await agent.use('tap', { element: idIn(keys, /(e\d+) key "h"/) })).toContain('"helloh"');
});

test('performs gestures, rotates the phone, and uses its clipboard and log', async () => {
  await using agent = await agentOverHttp(service);
  await agent.borrow();
  expect(await agent.use('read_log')).toContain('The log is kept from now on');
  const list = await agent.use('launch_app', { app: 'Notes' });
  expect(await agent.use('read_log', { contains: 'start' })).toMatch(
    / I ActivityTaskManager: START \S+notes/,
  );
  expect(await agent.use('read_crashes')).toBe('No app has crashed since the log is kept.');

  await agent.use('tap', { element: idIn(list, /(e\d+) button "New note"/), show: 'none' });
  expect(await agent.use('set_clipboard', { text: 'one two', paste: true, show: 'text' })).toContain(
    '"one two"',
  );
  expect(await agent.use('get_clipboard')).toBe('The clipboard contains:\none two');
  expect(await agent.use('rotate', { orientation: 'landscape', show: 'none' })).toBe(
    'Rotated the screen to landscape.',
  );
  const { images } = await agent.ask('look');
  const { width, height } = await loadImage(images[0]!);
  expect(width).toBeGreaterThan(height);
  await agent.use('rotate', { show: 'none' });
  expect(await agent.use('set_conditions', { dark_mode: true, locale: 'fr-FR' })).toMatch(
    /^dark_mode: true\n.*locale: "fr-FR".*\nproxy cannot be changed: /s,
  );

  const point = { x: 0.5, y: 0.3, show: 'none' };
  expect(await agent.use('double_tap', point)).toBe('Double-tapped (0.5, 0.3).');
  expect(await agent.use('pinch', { direction: 'out', show: 'none' })).toBe('Pinched out at (0.50, 0.50).');
  expect(await agent.use('drag', { ...point, to_x: 0.5, to_y: 0.6 })).toBe(
    'Dragged (0.5, 0.3) to (0.5, 0.6).',
  );
  expect((await agent.ask('drag', point)).text).toContain('Pass `to_element`');
  expect(await agent.use('clear_app_data', { app: 'Notes', show: 'text' })).toMatch(
    /Deleted the data of Notes .*The screen now:/s,
  );
  expect(await agent.use('launch_app', { app: 'Notes' })).not.toContain('one two');
  expect((await agent.ask('uninstall_app', { app: 'Notes' })).text).toContain('came with the phone');
});

test('saves a screenshot to a file and uploads an app from one, only inside the folder', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'phonebooth-mcp-'));
  const apk = makeApk({ packageName: 'com.example.local', label: 'Local' });
  await writeFile(join(folder, 'local.apk'), apk);
  await using agent = await agentOverStdio(stdioTransport(service, undefined, ['--files', folder]));
  await agent.borrow({ show: 'none' });
  const saved = await agent.use('save_screenshot', { path: 'home.png' });
  const { width, height } = await loadImage(await readFile(join(folder, 'home.png')));
  expect(saved).toContain(`${join(folder, 'home.png')}, ${width}x${height} px`);
  for (const [path, reason] of [
    ['home.png', 'exists already'],
    ['../home.png', 'is outside'],
    ['home.sh', 'must end in .png'],
  ])
    expect(await agent.ask('save_screenshot', { path })).toMatchObject({
      isError: true,
      text: expect.stringContaining(reason!),
    });
  expect(await agent.use('push_file', { path: 'home.png', to: 'Pictures/home.png' })).toMatch(
    /^Copied \d+ bytes to \/sdcard\/Pictures\/home\.png on /,
  );
  expect(await agent.use('list_files', { folder: 'Pictures' })).toMatch(
    /^\/sdcard\/Pictures:.*\nhome\.png \(/s,
  );
  await agent.use('pull_file', { from: 'Pictures/home.png', path: 'copy.png' });
  expect((await readFile(join(folder, 'copy.png'))).equals(await readFile(join(folder, 'home.png')))).toBe(
    true,
  );
  expect(await agent.ask('push_file', { path: '../home.png', to: 'x' })).toMatchObject({ isError: true });
  expect(await agent.use('delete_file', { path: 'Pictures/home.png' })).toBe('Deleted Pictures/home.png.');
  const [, id] = /Its app id is (\S+)\./.exec(await agent.use('upload_app', { path: 'local.apk' }))!;
  await agent.use('install_app', { app_id: id });
  expect(await agent.use('uninstall_app', { app: 'Local' })).toBe('Uninstalled Local (com.example.local).');
  await rm(folder, { recursive: true });

  await using remote = await agentOverHttp(service);
  const names = (await remote.client.listTools()).tools.map(({ name }) => name);
  expect(names).not.toContain('save_screenshot');
});

test('rejects a stale element id with a request to read the screen again', async () => {
  await using agent = await agentOverHttp(service);
  await agent.borrow({ show: 'none' });
  expect((await agent.ask('tap', { element: 'e1' })).text).toBe(
    'No element ids are available yet. Call read_screen first to get them.',
  );
  await agent.use('launch_app', { app: 'Notes' });
  await agent.use('wait_for', { text: 'New note' });
  const button = idIn(await agent.use('read_screen'), /(e\d+) button "New note"/);
  await agent.use('press_key', { key: 'HOME' });
  await agent.use('wait_for', { gone: 'New note' });
  const { text, isError } = await agent.ask('tap', { element: button });
  expect(isError).toBe(true);
  expect(text).toMatch(/Element "e\d+" is no longer on the screen\. Call read_screen again/);
  // When the same button reappears, it gets a new element id.
  await agent.use('launch_app', { app: 'Notes' });
  await agent.use('wait_for', { text: 'New note' });
  expect(idIn(await agent.use('read_screen'), /(e\d+) button "New note"/)).not.toBe(button);
});

test('rejects invalid arguments by name without any effect', async () => {
  await using agent = await agentOverHttp(service);
  expect((await agent.ask('tap', { x: 540, y: 0.5 })).text).toContain('x must be a number from 0 to 1');
  expect((await agent.ask('tap', { at: 1 })).text).toContain(
    'at is not a known field; the known fields are phone, element, x, y, show',
  );
  expect((await agent.ask('borrow_phone', { minutes: 1_000 })).text).toBe(
    '`minutes` must be a whole number from 1 to 480.',
  );
  expect((await agent.ask('borrow_phone', { id: 'any', brand: 'google' })).text).toBe(
    '`id` names one phone. Omit `id`, or omit `brand`, `os_version` and `model`.',
  );
  const session = await agent.borrow();
  await connected(session);
  expect((await agent.ask('tap', { x: 0.5 })).text).toMatch(/Pass `element`.* or both `x` and `y`/);
  expect((await agent.ask('wait_for', {})).text).toContain(
    'Pass exactly one of `text`, `gone` and `still_ms`',
  );
  expect((await agent.ask('wait_for', { text: 'no such text', timeout_seconds: 1 })).text).toMatch(
    /^Timed out after 1 s: "no such text" did not appear on the screen\. Call read_screen/,
  );
  expect((await agent.ask('press_key', { key: 'NO_SUCH_KEY' })).text).toContain(
    'The command failed on the phone',
  );
  expect((await agent.ask('launch_app', { app: 'Note' })).text).toMatch(
    /No app .*"Note"\. Did you mean: Notes: /,
  );
  expect((await agent.ask('tap', { phone: 'ses_other', x: 0, y: 0 })).text).toContain(`You have `);
  expect((await api.getSession(session)).status).toBe('connected');
});

test('lists, installs and starts an uploaded app', async () => {
  const apk = makeApk({ packageName: 'com.example.agent', label: 'For agents' });
  const { id } = await api.uploadApp(new Blob([new Uint8Array(apk)]));
  await using agent = await agentOverHttp(service);
  expect(await agent.use('list_apps')).toContain(`${id}: For agents, com.example.agent`);
  await agent.borrow();
  expect(await agent.use('install_app', { app_id: id })).toContain('Installed For agents on ');
  expect(await agent.use('list_installed', { contains: 'agents' })).toBe('For agents: com.example.agent');
  await agent.use('launch_app', { app: 'For agents' });
  await agent.use('stop_app', { app: 'com.example.agent' });
  expect((await agent.ask('install_app', { app_id: 'app_none' })).text).toMatch(
    /does not exist, .* Call list_apps/,
  );
});

test('opens an address in the browser', async () => {
  await using agent = await agentOverHttp(service);
  await agent.borrow();
  await agent.use('open_url', { url: 'https://example.com/agents' });
  await agent.use('wait_for', { text: 'example.com/agents' });
});

test('requires a phone name if the agent has two', async () => {
  await using agent = await agentOverHttp(service);
  const [one, other] = [await agent.borrow(), await agent.borrow()];
  const { text, isError } = await agent.ask('press_key', { key: 'HOME' });
  expect(isError).toBe(true);
  for (const part of ['Choose one with `phone`', one, other]) expect(text).toContain(part);
  await agent.use('press_key', { key: 'HOME', phone: other });
  expect(await agent.use('give_back', { phone: one })).toContain(`You still have `);
  await agent.use('press_key', { key: 'HOME' });
});

test('attaches to another client’s session, takes over control, and leaves the session running', async () => {
  const agent = await agentOverHttp(service);
  const borrowed = await api.borrow({ duration: 5, wait: 60 });
  await connected(borrowed.session_id);
  expect(await agent.use('my_phones')).toContain(
    `${borrowed.session_id}: phone ${borrowed.device_id}, connected`,
  );
  await until('a screenshot', async () => {
    const { images } = await agent.ask('look', { phone: borrowed.session_id });
    return images.length === 1;
  });
  expect(await agent.use('use_phone', { session_id: borrowed.session_id })).toContain('You control');
  await agent.use('press_key', { key: 'HOME' });
  await agent[Symbol.asyncDispose]();
  expect((await api.getSession(borrowed.session_id)).status).toBe('connected');
  await api.disconnect(borrowed.session_id);
});

/** Returns the error that an agent receives when it next uses a phone that it has lost. */
async function refusalAfter(agent: Agent): Promise<string> {
  const refused = async () => {
    const result = await agent.ask('press_key', { key: 'HOME' });
    // The phone is reported as reconnecting while the client does not know yet that the session has ended.
    return result.text.includes('no longer available') && result;
  };
  return (await until('the agent to be notified', refused)).text;
}

test('reports at the next call that an operator ended the session, with a next step', async () => {
  await using agent = await agentOverHttp(service);
  const session = await agent.borrow();
  await api.admin.releaseDevice((await api.getSession(session)).device_id, 'needed elsewhere');
  expect(await refusalAfter(agent)).toMatch(
    /The phone is no longer available: an operator ended the session \(needed elsewhere\)\. Borrow another with borrow_phone/s,
  );
  expect((await agent.ask('press_key', { key: 'HOME' })).text).toBe(
    'You have no phone. Borrow one with borrow_phone.',
  );
});

test('reports at the next call that the session has expired', async () => {
  await using agent = await agentOverHttp(service);
  const session = await agent.borrow({ minutes: 1 });
  await connected(session);
  const sqliteFile = join(service.dataDir, 'phonebooth.db');
  // Opens the store with a clock that is one minute ahead, so that the test does not wait for the expiry.
  await using store = await openStore({ sqliteFile }, { log: silentLog, clockOffsetMs: () => 61_000 });
  await store.reap({ limit: 10, hostSilenceMs: () => null });
  expect((await api.getSession(session)).end_reason).toBe('expired');
  expect(await refusalAfter(agent)).toMatch(
    /The phone is no longer available: its minutes were over; .*Borrow another with borrow_phone/s,
  );
});
