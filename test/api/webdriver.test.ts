import { mkdtemp, rm } from 'node:fs/promises';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/server/config.ts';
import { ROLES } from '../../src/server/roles.ts';
import { start } from '../../src/server/start.ts';
import { silentLog } from '../../src/util/log.ts';
import { makeApk } from '../fixtures/apk.ts';
import { freePort } from '../fixtures/free-port.ts';
import { isNightly } from '../nightly.ts';

const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';
const KEY = `pb_${'k'.repeat(43)}`;
const SESSIONS = isNightly ? 100 : 15;
/** The first sessions load modules and open connections that are kept. */
const WARM_UP = 3;
const WAIT = { wait: 90, duration: 5 };

const opened = new AsyncDisposableStack();
let port: number;
let dataDir: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'phonebooth-webdriver-'));
  opened.defer(() => rm(dataDir, { recursive: true }));
  const config = readConfig(
    {},
    {
      ...{ PHONEBOOTH_DATA_DIR: dataDir, PHONEBOOTH_ADB: 'off', PHONEBOOTH_SIMULATED_PHONES: '1' },
      ...{ PHONEBOOTH_PORT: String(await freePort()), PHONEBOOTH_TLS_PORT: String(await freePort()) },
      PHONEBOOTH_API_KEY: KEY,
      PHONEBOOTH_WEBDRIVER_HOST: 'webdriver.test',
    },
  );
  const running = opened.use(await start(config, ROLES, silentLog));
  port = running.controlPlane!.port;
});
afterAll(() => opened.disposeAsync());

// biome-ignore lint/suspicious/noExplicitAny: answers have no type on the client's side
type Answered = any;

const isEncoded = (body: unknown): body is string | Uint8Array<ArrayBuffer> =>
  typeof body === 'string' || body instanceof Uint8Array;

/** Sends one request as a client without a library does. */
async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`http://localhost:${port}/wd/hub${path}`, {
    method,
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body: isEncoded(body) ? body : JSON.stringify(body) }),
  });
  const { value } = (await response.json()) as { value: Answered };
  return { status: response.status, value, error: value?.error as string | undefined };
}

const session = (capabilities: object) => ({ capabilities: { alwaysMatch: capabilities } });

/** A session that authenticates with Basic, in its first request only, as WebdriverIO does. */
async function remote(capabilities: Record<string, unknown> = {}) {
  const authorization = `Basic ${btoa(`anyone:${KEY}`)}`;
  const wanted = { platformName: 'Android', 'phonebooth:options': WAIT, ...capabilities };
  const created = await send('POST', '/session', session(wanted), { authorization });
  const { sessionId } = created.value;
  const command = async (method: string, path: string, body?: unknown): Promise<Answered> => {
    const url = `/session/${sessionId}${path}`;
    const { value, error } = await send(method, url, body, { authorization: '' });
    if (error) throw new Error(`${error}: ${value.message}`);
    return value;
  };
  const post = (path: string, body: unknown = {}) => command('POST', path, body);
  const get = (path: string) => command('GET', path);
  return { sessionId: sessionId as string, capabilities: created.value.capabilities, command, post, get };
}

async function api(path: string, body?: Uint8Array<ArrayBuffer> | null): Promise<Answered> {
  const response = await fetch(`http://localhost:${port}/v1${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      authorization: `Bearer ${KEY}`,
      ...(body && { 'content-type': 'application/octet-stream' }),
    },
    ...(body && { body }),
  });
  return ((await response.json()) as { data: Answered }).data;
}

const upload = async (packageName: string): Promise<string> =>
  (await api('/apps', new Uint8Array(makeApk({ packageName })))).id;

const CALCULATOR = 'com.phonebooth.calculator';
const NOTES = 'com.phonebooth.notes';
const SETTINGS = 'com.android.settings';
const [FOREGROUND, NOT_RUNNING, NOT_INSTALLED] = [4, 1, 0];

describe('a session', () => {
  let driver: Awaited<ReturnType<typeof remote>>;
  beforeAll(async () => {
    driver = await remote({ 'appium:deviceName': 'Android', 'appium:newCommandTimeout': 300 });
    await driver.post('/timeouts', { implicit: 30_000 });
  });
  afterAll(() => driver.command('DELETE', ''));

  const find = async (using: string, value: string): Promise<string> =>
    (await driver.post('/element', { using, value }))[ELEMENT];
  const click = async (using: string, value: string) =>
    driver.post(`/element/${await find(using, value)}/click`);
  const textOf = (element: string) => driver.get(`/element/${element}/text`);
  const mobile = (name: string, args: object) =>
    driver.post('/execute/sync', { script: `mobile: ${name}`, args: [args] });
  const errorOf = (work: Promise<unknown>) =>
    work.then(
      () => 'none',
      (error: Error) => error.message,
    );

  test('names its session on the phone, and never the key', async () => {
    const options = driver.capabilities['phonebooth:options'];
    const [phoneSession] = driver.sessionId.split('~');
    expect(options).toMatchObject({ session_id: phoneSession, kind: 'simulated' });
    expect(options.console_url).toBe(`http://localhost:${port}/sessions/${phoneSession}`);
    expect(JSON.stringify(driver.capabilities)).not.toContain(KEY);
  });

  test('finds elements by each strategy, taps them and reads them', async () => {
    await mobile('activateApp', { appId: CALCULATOR });
    const display = await find('id', 'display');
    await click('accessibility id', '7');
    await click('xpath', "//android.widget.Button[@text='8']");
    await click('-android uiautomator', 'new UiSelector().textMatches("[9]").clickable(true)');
    // The form into which Selenium converts By.id.
    expect(await textOf(await find('css selector', '*[id="display"]'))).toContain('78');
    // The element keeps its identity although its text has changed.
    await expect.poll(() => textOf(display), { timeout: 60_000 }).toBe('789');
    expect(await driver.get(`/element/${display}/displayed`)).toBe(true);
    expect(await driver.get(`/element/${display}/attribute/resource-id`)).toBe('display');
    const { width, height } = await driver.get(`/element/${display}/rect`);
    const png = Buffer.from(await driver.get(`/element/${display}/screenshot`), 'base64');
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([width, height]);
    expect(await driver.get('/source')).toMatch(/^<\?xml.*<hierarchy.*resource-id="display"/s);
  });

  test('types into a field, clears it and performs actions', async () => {
    await mobile('activateApp', { appId: NOTES });
    await click('accessibility id', 'New note');
    const field = await find('class name', 'android.widget.EditText');
    await driver.post(`/element/${field}/value`, { text: 'Grüße 👋' });
    await expect.poll(() => textOf(field), { timeout: 60_000 }).toContain('Grüße 👋');
    await driver.post(`/element/${field}/clear`);
    await expect.poll(() => textOf(field), { timeout: 60_000 }).not.toContain('Grüße');
    const finger = [
      { type: 'pointerMove', duration: 0, x: 0, y: 0, origin: { [ELEMENT]: field } },
      { type: 'pointerDown', button: 0 },
      { type: 'pause', duration: 50 },
      { type: 'pointerUp', button: 0 },
    ];
    const keys = [
      { type: 'keyDown', value: 'q' },
      { type: 'keyUp', value: 'q' },
    ];
    await driver.post('/actions', {
      actions: [
        { type: 'pointer', id: 'finger', actions: finger },
        { type: 'key', id: 'keys', actions: keys },
      ],
    });
    await expect.poll(() => textOf(field), { timeout: 60_000 }).toContain('q');
    const outside = [{ type: 'pointerMove', x: 90_000, y: 0 }];
    const actions = [{ type: 'pointer', id: 'finger', actions: outside }];
    expect(await errorOf(driver.post('/actions', { actions }))).toContain('move target out of bounds');
    await driver.command('DELETE', '/actions');
    await mobile('longClickGesture', { elementId: field, duration: 700 });
    expect(await find('id', 'text-menu')).toBeTruthy();
  });

  test('scrolls to elements and tells which app is on the screen', async () => {
    await mobile('activateApp', { appId: SETTINGS });
    const list = await find('id', 'settings-list');
    expect(await find('id', 'network')).toBeTruthy();
    expect(await mobile('scrollGesture', { elementId: list, direction: 'down', percent: 1 })).toBe(true);
    const scroll = () => mobile('scrollGesture', { elementId: list, direction: 'down', percent: 1 });
    await expect.poll(scroll, { timeout: 120_000 }).toBe(false);
    expect(await find('id', 'about')).toBeTruthy();
    await mobile('swipeGesture', { elementId: list, direction: 'down', percent: 0.2, speed: 500 });
    const scrollable = 'new UiScrollable(new UiSelector().scrollable(true))';
    const into = (selector: string) =>
      find('-android uiautomator', `${scrollable}.scrollIntoView(${selector})`);
    expect(await textOf(await into('new UiSelector().textStartsWith("Bluetooth")'))).toContain('Bluetooth');
    await driver.post('/timeouts', { implicit: 0 });
    const opensPage = async () => {
      if ((await driver.post('/elements', { using: 'id', value: 'settings-about' })).length > 0) return true;
      await driver.post(`/element/${await into('new UiSelector().resourceId("about")')}/click`);
      return false;
    };
    await expect.poll(opensPage, { timeout: 120_000 }).toBe(true);
    await driver.post('/timeouts', { implicit: 30_000 });
    expect(await mobile('queryAppState', { appId: SETTINGS })).toBe(FOREGROUND);
    expect(await driver.get(`/element/${await find('id', 'settings-about')}/attribute/package`)).toBe(
      SETTINGS,
    );
    expect(await mobile('queryAppState', { appId: CALCULATOR })).toBe(NOT_RUNNING);
    await mobile('terminateApp', { appId: SETTINGS });
    expect(await mobile('queryAppState', { appId: SETTINGS })).toBe(NOT_RUNNING);
  });

  test('returns the log since the last request', async () => {
    expect(await driver.get('/se/log/types')).toEqual(['logcat']);
    expect(await errorOf(driver.post('/log', { type: 'server' }))).toMatch(/^invalid argument: type/);
    await driver.post('/log', { type: 'logcat' });
    await mobile('activateApp', { appId: NOTES });
    const entry = { timestamp: expect.any(Number), level: 'INFO', message: expect.stringContaining(NOTES) };
    expect(await driver.post('/se/log', { type: 'logcat' })).toContainEqual(entry);
    expect(await driver.post('/se/log', { type: 'logcat' })).not.toContainEqual(entry);
  });

  test('rotates, shares the clipboard and installs uploaded apps', async () => {
    await driver.post('/orientation', { orientation: 'LANDSCAPE' });
    await expect.poll(() => driver.get('/orientation'), { timeout: 60_000 }).toBe('LANDSCAPE');
    const { width, height } = await driver.get('/window/rect');
    expect(width).toBeGreaterThan(height);
    await driver.post('/orientation', { orientation: 'PORTRAIT' });
    await expect.poll(() => driver.get('/orientation'), { timeout: 60_000 }).toBe('PORTRAIT');

    const base64 = (text: string) => Buffer.from(text).toString('base64');
    await driver.post('/appium/device/set_clipboard', { content: base64('Grüße') });
    expect(await mobile('getClipboard', {})).toBe(base64('Grüße'));
    await mobile('setClipboard', { content: base64('two') });
    expect(await driver.post('/appium/device/get_clipboard')).toBe(base64('two'));

    const appId = 'com.example.installed';
    expect(await mobile('queryAppState', { appId })).toBe(NOT_INSTALLED);
    await mobile('installApp', { appPath: await upload(appId) });
    expect(await mobile('isAppInstalled', { appId })).toBe(true);
    await mobile('activateApp', { appId });
    await expect.poll(() => mobile('queryAppState', { appId }), { timeout: 60_000 }).toBe(FOREGROUND);
    expect(await mobile('removeApp', { appId })).toBe(true);
    expect(await mobile('removeApp', { appId })).toBe(false);
    expect(await errorOf(mobile('installApp', { appPath: 'app_nothing' }))).toContain('app_nothing');
  });

  test('reports errors by the names of W3C', async () => {
    await mobile('activateApp', { appId: CALCULATOR });
    const key = await find('accessibility id', '7');
    await driver.post('/timeouts', { implicit: 0 });
    expect(await errorOf(find('id', 'nothing'))).toMatch(/^no such element/);
    expect(await driver.post('/elements', { using: 'id', value: 'nothing' })).toEqual([]);
    await mobile('pressKey', { keycode: 3 });
    await expect
      .poll(() => errorOf(driver.get(`/element/${key}/text`)), { timeout: 60_000 })
      .toMatch(/^stale element reference/);
    expect(await errorOf(textOf('made-up'))).toMatch(/^no such element/);
    expect(await errorOf(find('xpath', '//['))).toMatch(/^invalid selector/);
    expect(await errorOf(find('-android uiautomator', 'System.exit(0)'))).toMatch(/^invalid selector/);
    expect(await errorOf(find('xpath', 'count(//*)'))).toMatch(/^invalid selector/);
    expect(await errorOf(driver.post('/execute/sync', { script: 'return 1', args: [] }))).toMatch(
      /^unsupported operation/,
    );
    expect(await errorOf(mobile('shell', { command: 'id' }))).toMatch(/^unsupported operation/);
    const [audited] = (await api('/admin/audit?action=webdriver.shell')).items;
    expect(audited).toMatchObject({
      ...{ code: 40000, count: 1 },
      targets: [{ kind: 'session', id: driver.sessionId.split('~')[0] }, { kind: 'device' }],
    });
    expect(await errorOf(mobile('activateApp', { appId: 'a; reboot' }))).toMatch(/^invalid argument/);
    expect(await errorOf(mobile('nothing', {}))).toMatch(/^unknown command/);
    expect(await errorOf(driver.get('/alert/text'))).toMatch(/^no such alert/);
    expect(await errorOf(driver.post('/context', { name: 'WEBVIEW' }))).toMatch(/^no such window/);
    expect(await errorOf(mobile('activateApp', { appId: 'com.example.none' }))).toMatch(/^unknown error/);
    const long = JSON.stringify({ text: 'x'.repeat(600_000) });
    const tooLarge = await send('POST', `/session/${driver.sessionId}/element/x/value`, long);
    expect([tooLarge.error, tooLarge.value.message]).toEqual([
      ...['invalid argument', 'body is too large; the limit is 512 KiB'],
    ]);
    await driver.post('/timeouts', { implicit: 30_000 });
  });

  test('lists its latest commands without their arguments', async () => {
    await driver.post('/timeouts', { implicit: 0 });
    await errorOf(find('id', 'secret-id'));
    await mobile('pressKey', { keycode: 3 });
    const list = async () => (await api(`/sessions/${driver.sessionId.split('~')[0]}/commands`)).items;
    const listed = {
      id: expect.any(String),
      started_at: expect.any(String),
      duration_ms: expect.any(Number),
    };
    await expect.poll(list, { timeout: 60_000 }).toEqual(
      expect.arrayContaining([
        { ...listed, name: 'mobile: pressKey', error: null },
        { ...listed, name: 'POST /element', error: 'no such element' },
      ]),
    );
    const items = await list();
    expect(items.length).toBeLessThanOrEqual(50);
    expect(JSON.stringify(items)).not.toContain('secret-id');
    await driver.post('/timeouts', { implicit: 30_000 });
  });

  test('is served by the same thread again after a hostile expression was stopped', async () => {
    const slow = `//*[${'count(//*['.repeat(5)}.//@text${'])>0'.repeat(5)}]`;
    expect(await errorOf(find('xpath', slow))).toMatch(/^timeout/);
    for (let n = 0; n < 3; n += 1) expect(await find('xpath', '//*')).toBeTruthy();
  });
});

describe('a client without a library', () => {
  test('is refused capabilities and commands that do not exist, by the names of W3C', async () => {
    const refused = async (body: unknown) => {
      const { status, error, value } = await send('POST', '/session', body);
      return [status, error, value.message];
    };
    expect(await refused('{')).toEqual([
      ...[400, 'invalid argument', expect.stringContaining('body is not valid JSON')],
    ]);
    expect(await refused(new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]))).toEqual([
      ...[400, 'invalid argument', 'body is not valid UTF-8'],
    ]);
    const nested = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(await refused(`{"capabilities":{"alwaysMatch":{"appium:x":${nested}}}}`)).toEqual([
      400,
      'invalid argument',
      'body must have at most 100 levels of nested arrays and objects',
    ]);
    expect(await refused([])).toEqual([400, 'invalid argument', 'the body must be an object']);
    expect(await refused(session({ nonsense: 1 }))).toEqual([
      400,
      'invalid argument',
      expect.stringContaining('nonsense'),
    ]);
    expect(await refused(session({ platformName: 'iOS' }))).toEqual([
      500,
      'session not created',
      'platformName must be Android',
    ]);
    const other = { 'appium:automationName': 'XCUITest', 'phonebooth:options': WAIT };
    expect(await refused(session(other))).toEqual([
      500,
      'session not created',
      expect.stringContaining('PHONEBOOTH_APPIUM'),
    ]);
    expect(await refused(session({ 'appium:app': '/etc/passwd' }))).toEqual([
      400,
      'invalid argument',
      expect.stringContaining('appium:app'),
    ]);
    expect(await refused(session({ 'appium:udid': 'nothing' }))).toEqual([
      404,
      'session not created',
      expect.stringContaining('does not exist'),
    ]);
    expect(await refused(session({ 'phonebooth:options': { duration: 100_000 } }))).toEqual([
      400,
      'invalid argument',
      expect.stringContaining('duration'),
    ]);
    expect(await refused(session({ 'phonebooth:options': { record: 'yes' } }))).toEqual([
      ...[400, 'invalid argument', 'phonebooth:options.record must be true or false'],
    ]);
    const both = {
      capabilities: { alwaysMatch: { platformName: 'Android' }, firstMatch: [{ platformName: 'Android' }] },
    };
    expect(await refused(both)).toEqual([400, 'invalid argument', expect.stringContaining('platformName')]);
    expect((await send('GET', '/status')).value).toMatchObject({ ready: true });
    expect((await send('GET', '/nothing')).error).toBe('unknown command');
    expect((await send('GET', '/session/ses_x/nothing')).error).toBe('unknown command');
    expect((await send('GET', '/session/ses_x/element')).error).toBe('unknown method');
    expect((await send('GET', '/session/ses_x/source')).error).toBe('invalid session id');
    expect((await send('GET', '/session/;rm/source')).error).toBe('invalid session id');
  });

  test('is served at the root of the host name of the endpoint, and there only', async () => {
    const ask = (host: string) =>
      new Promise<number>((resolve, reject) => {
        get({ host: 'localhost', port, path: '/status', headers: { host }, agent: false }, (response) => {
          response.resume();
          resolve(response.statusCode!);
        }).on('error', reject);
      });
    expect([await ask('webdriver.test:7100'), await ask('phones.test')]).toEqual([200, 404]);
  });

  test('gets a phone of a group by its name', async () => {
    const json = (method: string, path: string, body: object) =>
      fetch(`http://localhost:${port}/v1${path}`, {
        ...{ method, body: JSON.stringify(body) },
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      }).then((response) => response.json() as Promise<{ data: Answered }>);
    const inGroup = (group: string) =>
      send('POST', '/session', session({ 'phonebooth:options': { ...WAIT, wait: 0, group } }));
    const { id: accountId } = (await api('/admin/accounts')).items[0];
    const { data: group } = await json('POST', '/admin/groups', { name: 'Lab', accounts: [accountId] });
    expect((await inGroup('Lab')).value.message).toContain('no phone matches');
    const [{ id }] = (await api('/devices')).items;
    await json('PATCH', `/admin/devices/${id}`, { group_id: group.id });
    const { value } = await send(
      'POST',
      '/session',
      session({ 'phonebooth:options': { ...WAIT, group: 'Lab' } }),
    );
    expect(value.capabilities['appium:udid']).toBe(id);
    await send('DELETE', `/session/${value.sessionId}`);
    await json('PATCH', `/admin/devices/${id}`, { group_id: null });
  });

  test('needs a key, which no answer repeats', async () => {
    for (const authorization of ['', 'Bearer pb_wrong', `Basic ${btoa('any:pb_wrong')}`]) {
      const { status, value } = await send('POST', '/session', session({}), { authorization });
      expect([status, JSON.stringify(value).includes('pb_wrong')]).toEqual([401, false]);
    }
    const { status } = await send(
      'POST',
      '/session',
      session({ 'phonebooth:options': { apiKey: 'pb_wrong' } }),
      { authorization: '' },
    );
    expect(status).toBe(401);
  });

  test('attaches with a key in its capabilities; other keys cannot use its session, and its end leaves the phone', async () => {
    const created = await send(
      'POST',
      '/session',
      session({
        ...{ 'phonebooth:options': { ...WAIT, record: true }, 'appium:newCommandTimeout': 300 },
        'appium:app': `http://localhost:${port}/v1/apps/${await upload('com.example.launched')}`,
      }),
    );
    const { sessionId, capabilities } = created.value;
    const state = await send('POST', `/session/${sessionId}/appium/device/app_state`, {
      appId: 'com.example.launched',
    });
    expect(state.value).toBe(FOREGROUND);
    const attach = { session_id: sessionId, apiKey: KEY };
    const attached = await send('POST', '/session', session({ 'phonebooth:options': attach }), {
      authorization: '',
    });
    expect(JSON.stringify(attached.value)).not.toContain(KEY);
    const own = attached.value.sessionId as string;
    expect(own.startsWith(`${sessionId}~key_`)).toBe(true);
    const source = (id: string, authorization: string) =>
      send('GET', `/session/${id}/window/rect`, undefined, { authorization });
    expect((await source(own, '')).status).toBe(200);
    expect((await source(`${own.slice(0, -1)}_`, '')).error).toBe('invalid session id');
    expect((await source(sessionId, '')).status).toBe(401);
    await send('DELETE', `/session/${own}`, undefined, { authorization: '' });
    expect((await source(own, '')).error).toBe('invalid session id');
    expect(await api(`/sessions/${sessionId}`)).toMatchObject({
      ...{ status: 'connected', recording: { status: 'recording' } },
    });
    await api(`/sessions/${sessionId}/disconnect`, null);
    expect(capabilities['appium:deviceName']).toBeTruthy();
    const { items } = await api(`/admin/audit?target=${sessionId}`);
    const targets = [
      { kind: 'session', id: sessionId },
      { kind: 'device', id: capabilities['appium:udid'] },
    ];
    for (const action of ['webdriver.session', 'webdriver.attach'])
      expect(items).toContainEqual(
        expect.objectContaining({
          action,
          code: 0,
          targets: targets.map((target) => expect.objectContaining(target)),
        }),
      );
  });

  test('that disconnects while its chosen phone starts gets no session', async () => {
    const [{ id: udid }] = (await api('/devices')).items;
    const capabilities = { 'appium:udid': udid, 'phonebooth:options': WAIT, 'appium:newCommandTimeout': 1 };
    /** Resolves with null if the phone has started before the client disconnected. */
    const attempt = async () => {
      const leaving = new AbortController();
      const answer = fetch(`http://localhost:${port}/wd/hub/session`, {
        ...{ method: 'POST', headers: { authorization: `Bearer ${KEY}` }, signal: leaving.signal },
        body: JSON.stringify(session(capabilities)),
      });
      answer.catch(() => {});
      const live = async () => (await api('/sessions?status=live')).items[0]?.session_id;
      await expect.poll(live, { interval: 20, timeout: 120_000 }).toBeTruthy();
      const id = await live();
      leaving.abort();
      const row = () => api(`/sessions/${id}`);
      await expect.poll(row, { timeout: 120_000 }).toMatchObject({ status: 'disconnected' });
      return (await row()).end_reason === 'client' ? id : null;
    };
    let id: string | null = null;
    for (let n = 0; n < 20 && id === null; n += 1) id = await attempt();
    expect(id).not.toBeNull();
    const audited = async () => (await api(`/admin/audit?target=${id}`)).items;
    await expect.poll(audited, { timeout: 60_000 }).toMatchObject([
      { action: 'webdriver.session', code: 50300, targets: [{ kind: 'session', id }, { kind: 'device' }] },
      { action: 'webdriver.session', code: 0, targets: [{ kind: 'session', id }, { kind: 'device' }] },
    ]);
  });

  test(`leaves nothing behind after ${SESSIONS} sessions in a row`, async () => {
    const open = () => process.getActiveResourcesInfo().filter((kind) => kind !== 'Timeout').length;
    const cycle = async () => {
      const { value } = await send('POST', '/session', session({ 'phonebooth:options': WAIT }));
      expect((await send('GET', `/session/${value.sessionId}/orientation`)).value).toBe('PORTRAIT');
      expect((await send('DELETE', `/session/${value.sessionId}`)).value).toBeNull();
    };
    for (let n = 0; n < WARM_UP; n += 1) await cycle();
    const before = open();
    for (let n = 0; n < SESSIONS; n += 1) await cycle();
    await expect.poll(open, { timeout: 120_000 }).toBeLessThanOrEqual(before);
    const { items } = await api('/sessions?status=live');
    expect(items).toEqual([]);
    expect(await api('/usage')).toMatchObject({ sessions: { live: 0 } });
  });

  test('lists no commands after its end', async () => {
    const { value } = await send('POST', '/session', session({ 'phonebooth:options': WAIT }));
    const list = () => api(`/sessions/${value.sessionId.split('~')[0]}/commands`);
    await send('GET', `/session/${value.sessionId}/orientation`);
    expect((await list()).items).not.toEqual([]);
    await send('DELETE', `/session/${value.sessionId}`);
    expect(await list()).toEqual({ items: [] });
  });

  test('that dies in mid-command loses its session after newCommandTimeout', async () => {
    const { value } = await send(
      'POST',
      '/session',
      session({ 'phonebooth:options': WAIT, 'appium:newCommandTimeout': 1, timeouts: { implicit: 60_000 } }),
    );
    const dying = new AbortController();
    const command = fetch(`http://localhost:${port}/wd/hub/session/${value.sessionId}/element`, {
      ...{ method: 'POST', headers: { authorization: `Bearer ${KEY}` }, signal: dying.signal },
      body: JSON.stringify({ using: 'id', value: 'nothing' }),
    });
    command.catch(() => {});
    setTimeout(() => dying.abort(), 500);
    await expect
      .poll(() => api(`/sessions/${value.sessionId}`), { timeout: 120_000 })
      .toMatchObject({
        status: 'disconnected',
        end_reason: 'idle',
        end_detail: expect.stringContaining('newCommandTimeout'),
      });
  });
});
