import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { CookieBrowser, SESSION_COOKIE, type SignInRig, startSignInRig } from './kit/sign-in-rig.ts';

const HOUR = 3_600_000;

let rig: SignInRig;
let browser: CookieBrowser;
let account: { keyId: string; accountId: string; key: string };
beforeAll(async () => {
  rig = await startSignInRig();
});
afterAll(() => rig[Symbol.asyncDispose]());
beforeEach(async () => {
  browser = new CookieBrowser();
  account = await rig.rig.key();
});

const open = (key: string, json: object = { remember: false }, headers: Record<string, string> = {}) =>
  browser.ask(`${rig.origin}/auth/session`, {
    ...{ method: 'POST', json },
    headers: { authorization: `Bearer ${key}`, ...headers },
  });
const close = () =>
  browser.ask(`${rig.origin}/auth/session`, {
    method: 'DELETE',
    headers: { 'sec-fetch-site': 'same-origin' },
  });
const list = async (headers: Record<string, string> = {}) => {
  const { status, body } = await browser.ask(`${rig.origin}/v1/keys`, { headers });
  return { status, ...JSON.parse(body) };
};
const createKey = (headers: Record<string, string>) =>
  browser.ask(`${rig.origin}/v1/keys`, { method: 'POST', json: { name: 'ci' }, headers });

describe('a browser session', () => {
  test('is opened with a key, and is listed with the keys while it is valid', async () => {
    const { status, body, headers } = await open(account.key);
    const { data } = JSON.parse(body);
    expect(status).toBe(200);
    expect(body).not.toContain('pb_');
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^phonebooth-session=pb_[\w-]+; Path=\/; HttpOnly; SameSite=Strict$/),
      expect.stringMatching(/^__Host-phonebooth-session=; Max-Age=0;/),
    ]);
    const { data: keys } = await list();
    expect(keys.items).toMatchObject([
      { id: data.id, name: keys.items[1].name, signed_in: true, current: true },
      { id: account.keyId, signed_in: false, current: false },
    ]);
    expect((await close()).headers['set-cookie']).toHaveLength(2);
    expect(browser.cookies.has(SESSION_COOKIE)).toBe(false);
    const remaining = async () => {
      const { items } = (await list({ authorization: `Bearer ${account.key}` })).data;
      return items.map(({ id }: { id: string }) => id);
    };
    expect(await remaining()).toEqual([account.keyId]);
    const { items } = await rig.rig.store.listAudit({ page: 1, pageSize: 2 });
    expect(items).toMatchObject([
      { action: 'sign-out', key: { id: data.id } },
      { action: 'sign-in', key: { id: account.keyId }, targets: [{ kind: 'key', id: data.id }] },
    ]);
  });

  test('stays in a browser that is closed only if the user asked for it', async () => {
    const { headers, body } = await open(account.key, { remember: true });
    const { data } = JSON.parse(body);
    const maxAge = Number(/Max-Age=(\d+)/.exec(headers['set-cookie']![0]!)![1]);
    expect(maxAge).toBe(30 * 24 * 3600);
    rig.rig.travel(13 * HOUR);
    await vi.waitFor(async () => expect((await list()).status).toBe(200), 60_000);
    rig.rig.travel(30 * 24 * HOUR);
    await vi.waitFor(async () => expect((await list()).status).toBe(401), 60_000);
    expect(data.id).toMatch(/^key_/);
  });

  test('has a cookie that only this host can set, when the page came over TLS', async () => {
    const { headers } = await open(
      account.key,
      { remember: false },
      { origin: 'https://phones.example.com' },
    );
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^__Host-phonebooth-session=pb_.*; Secure; SameSite=Strict$/),
      expect.stringMatching(/^phonebooth-session=; Max-Age=0;/),
    ]);
    expect((await list()).status).toBe(200);
  });

  test('ends when the key that opened it is revoked', async () => {
    await open(account.key);
    expect((await list()).status).toBe(200);
    await rig.rig.store.revokeKey(account.keyId);
    await vi.waitFor(async () => expect((await list()).status).toBe(401), 60_000);
  });

  test('is refused without a valid key, or with a request that is not valid', async () => {
    expect((await open('pb_unknown')).status).toBe(401);
    const { status, body } = await open(account.key, { remember: 'yes' });
    expect(status).toBe(400);
    expect(JSON.parse(body).message).toContain('body.remember');
    expect(browser.cookies.size).toBe(0);
    const { items } = await rig.rig.store.listAudit({ action: 'sign-in', page: 1, pageSize: 1 });
    expect(items).toMatchObject([{ code: 40001, key: null }]);
  });

  test('cannot open another one, even with its secret as a key', async () => {
    await open(account.key);
    const secret = browser.cookies.get(SESSION_COOKIE)!;
    expect((await open(secret)).status).toBe(401);
    expect(
      (await browser.ask(`${rig.origin}/auth/session`, { method: 'POST', json: { remember: true } })).status,
    ).toBe(401);
  });
});

describe('requests with the cookie', () => {
  beforeEach(async () => {
    expect((await open(account.key)).status).toBe(200);
  });

  test.each([
    ['the same origin', { 'sec-fetch-site': 'same-origin' }],
    ['the address bar', { 'sec-fetch-site': 'none' }],
    ['the same origin, in a browser that sends only Origin', () => ({ origin: rig.origin })],
  ])('are accepted from %s', async (_name, headers) => {
    const sent = typeof headers === 'function' ? headers() : headers;
    expect((await list(sent as Record<string, string>)).status).toBe(200);
    expect((await createKey(sent as Record<string, string>)).status).toBe(200);
  });

  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site', origin: 'http://evil.example' }],
    ['another port or a sibling domain', { 'sec-fetch-site': 'same-site', origin: 'http://localhost:1' }],
    ['another origin, in a browser that sends only Origin', { origin: 'http://localhost:1' }],
    ['a page with an opaque origin', { origin: 'null' }],
    ['a page that hides its origin', {}],
  ])('are refused from %s, and change nothing', async (_name, headers) => {
    const before = await rig.rig.store.listKeys({ accountId: account.accountId, page: 1, pageSize: 50 });
    const { status, body } = await createKey(headers as Record<string, string>);
    expect(status).toBe(403);
    expect(JSON.parse(body)).toMatchObject({ code: 40003 });
    const after = await rig.rig.store.listKeys({ accountId: account.accountId, page: 1, pageSize: 50 });
    expect(after!.total).toBe(before!.total);
  });

  test('use the Authorization header instead, if there is one', async () => {
    const other = await rig.rig.key('other');
    const { data } = await list({ authorization: `Bearer ${other.key}`, 'sec-fetch-site': 'cross-site' });
    expect(data.items.map(({ id }: { id: string }) => id)).toContain(other.keyId);
    expect((await list({ authorization: 'Bearer pb_unknown' })).status).toBe(401);
  });
});
