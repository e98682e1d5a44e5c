import { createServer } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { SECRET } from '../../src/access/secret-names.ts';
import { PhoneboothClient } from '../../src/client/phonebooth-client.ts';
import {
  CookieBrowser,
  fetchKey,
  finish,
  returnToService,
  type SignInRig,
  startSignInRig,
  walkThrough,
} from './kit/sign-in-rig.ts';

const HOUR = 3_600_000;

let rig: SignInRig;
let browser: CookieBrowser;
beforeAll(async () => {
  rig = await startSignInRig();
});
afterAll(() => rig[Symbol.asyncDispose]());
beforeEach(() => {
  rig.provider.people.clear();
  rig.provider.people.set('ada', { name: 'Ada', email: 'ada@example.com', groups: ['staff', 'qa'] });
  browser = new CookieBrowser();
});

const clientOf = (key: string) => new PhoneboothClient({ baseUrl: `${rig.origin}/v1`, key });

/** Completes a sign-in and returns a client with the issued key. */
async function signIn(login = 'ada') {
  expect(await walkThrough(browser, rig, login)).toBeNull();
  const { key } = await fetchKey(browser, rig);
  return { key: key!, client: clientOf(key!) };
}

const entries = async (action: string) =>
  (await rig.rig.store.listAudit({ action, page: 1, pageSize: 100 })).items;

describe('signing in', () => {
  test('creates an expiring key of the account that the group maps to', async () => {
    const { client } = await signIn();
    expect(await client.getUsage()).toMatchObject({
      ...{ account: 'qa', role: 'user', user: { name: 'Ada', email: 'ada@example.com' } },
    });
    const { items } = await client.listKeys();
    const own = items.find(({ current }) => current)!;
    expect(own).toMatchObject({ name: 'Console', signed_in: true, user: { name: 'Ada' } });
    expect(Date.parse(own.expires_at!) - Date.parse(own.created_at)).toBe(HOUR);
    const [entry] = await entries('sign-in');
    expect(entry).toMatchObject({
      ...{ code: 0, account: { name: 'qa' }, key: { id: own.id }, user: { name: 'Ada' } },
      targets: [
        { kind: 'user', id: own.user!.id },
        { kind: 'key', id: own.id },
      ],
    });
  });

  test('uses the authorization code flow with PKCE, state and nonce', async () => {
    const { headers } = await browser.ask(`${rig.origin}/auth/oidc/start`);
    const query = Object.fromEntries(new URL(headers.location!).searchParams);
    expect(query).toMatchObject({
      ...{ client_id: 'phonebooth', response_type: 'code', code_challenge_method: 'S256' },
      ...{ redirect_uri: `${rig.origin}/auth/oidc/callback`, scope: 'openid profile email' },
    });
    for (const name of ['code_challenge', 'state', 'nonce']) expect(query[name]).toMatch(/^[\w-]{43}$/);
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^phonebooth-sign-in=[\w.-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/),
    ]);
    const [cookie] = headers['set-cookie']!;
    expect(Buffer.from(cookie!.split(/[=;]/)[1]!, 'base64url').toString('latin1')).not.toContain('verifier');
  });

  test('can begin at one process and return to another', async () => {
    const back = await returnToService(browser, rig, 'ada');
    const elsewhere = new URL(back.pathname + back.search, rig.otherOrigin);
    expect(await finish(browser, elsewhere)).toBeNull();
    expect((await fetchKey(browser, { origin: rig.otherOrigin }, rig.origin)).status).toBe(200);
  });

  test('survives one rotation of its key and has to start over after two', async () => {
    const { store } = rig.rig;
    const [early, late] = [new CookieBrowser(), browser];
    const tooEarly = await returnToService(early, rig, 'ada');
    await store.rotateSecrets([SECRET.signIn]);
    const back = await returnToService(late, rig, 'ada');
    await store.rotateSecrets([SECRET.signIn]);
    expect(await finish(late, back)).toBeNull();
    expect(await finish(early, tooEarly)).toBe('expired');
  });

  test('lists the available sign-in methods', async () => {
    const { body } = await browser.ask(`${rig.origin}/auth`);
    expect(JSON.parse(body)).toEqual({
      ...{ code: 0, message: 'success' },
      data: { oidc: { name: 'Example ID', start_url: `${rig.origin}/auth/oidc/start` } },
    });
  });

  test('ends on sign-out, but keys that were created remain valid', async () => {
    const { key, client } = await signIn();
    expect((await client.getUsage()).max_key_days).toBe(90);
    await expect(client.createKey({ name: 'ci' })).rejects.toMatchObject({
      code: 40000,
      message: expect.stringContaining('must be at most 90 and cannot be omitted'),
    });
    await expect(client.createKey({ name: 'ci', expires_in_days: 91 })).rejects.toMatchObject({
      code: 40000,
    });
    const made = await client.createKey({ name: 'ci', expires_in_days: 90 });
    const out = (token: string) =>
      new CookieBrowser().ask(`${rig.origin}/auth/session`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${token}` },
      });
    expect((await out(made.key!)).status).toBe(200);
    expect((await out(key)).status).toBe(200);
    await vi.waitFor(() => expect(client.getUsage()).rejects.toMatchObject({ code: 40001 }), 60_000);
    await clientOf(made.key!).getUsage();
    expect(await entries('sign-out')).toHaveLength(1);
    expect((await out('pb_unknown')).status).toBe(401);
  });
});

describe('the groups from the provider', () => {
  test('are read at every sign-in, and a change of account revokes the keys of the previous one', async () => {
    const { client } = await signIn();
    const made = await client.createKey({ name: 'ci', expires_in_days: 1 });
    rig.provider.people.set('ada', { name: 'Ada', groups: ['phone-admins', 'qa'] });
    const { client: now } = await signIn();
    expect(await now.getUsage()).toMatchObject({ account: 'ops', role: 'admin' });
    for (const key of [client, clientOf(made.key!)])
      await vi.waitFor(() => expect(key.getUsage()).rejects.toMatchObject({ code: 40001 }), 60_000);
  });

  test('deny access to a user without a mapped group and revoke the user’s keys', async () => {
    const { client } = await signIn();
    rig.provider.people.set('ada', { name: 'Ada', groups: ['staff'] });
    expect(await walkThrough(browser, rig, 'ada')).toBe('no_access');
    await vi.waitFor(() => expect(client.getUsage()).rejects.toMatchObject({ code: 40001 }), 60_000);
    expect((await fetchKey(browser, rig)).status).toBe(401);
    const denied = (await entries('sign-in')).find(({ code }) => code === 40003);
    expect(denied).toMatchObject({ targets: [{ kind: 'user' }] });
    rig.provider.people.set('eve', { name: 'Eve' });
    expect(await walkThrough(browser, rig, 'eve')).toBe('no_access');
    expect(await usersNamed('Eve')).toEqual([]);
  });

  test('do not override a disabled user or account', async () => {
    const { client } = await signIn();
    const [user] = await usersNamed('Ada');
    await rig.rig.store.updateUser({ userId: user!.id, disabled: true });
    expect(await walkThrough(browser, rig, 'ada')).toBe('user_disabled');
    await vi.waitFor(() => expect(client.getUsage()).rejects.toMatchObject({ code: 40001 }), 60_000);
    await rig.rig.store.updateUser({ userId: user!.id, disabled: false });
    await rig.rig.store.updateAccount({ accountId: user!.accountId, disabled: true });
    expect(await walkThrough(browser, rig, 'ada')).toBe('account_disabled');
    await rig.rig.store.updateAccount({ accountId: user!.accountId, disabled: false });
    await signIn();
  });
});

const usersNamed = async (name: string) =>
  (await rig.rig.store.listUsers({ page: 1, pageSize: 100 })).items.filter((user) => user.name === name);

describe('sign-in is rejected', () => {
  test('if the user or the provider denies it', async () => {
    expect(await walkThrough(browser, rig, '')).toBe('denied');
  });

  test('with the state of another attempt or without a state', async () => {
    const back = await returnToService(browser, rig, 'ada');
    back.searchParams.set('state', 'x'.repeat(43));
    expect(await finish(browser, back)).toBe('expired');
    back.searchParams.delete('state');
    expect(await finish(browser, back)).toBe('expired');
  });

  test('in a browser that did not start it', async () => {
    const back = await returnToService(browser, rig, 'ada');
    const victim = new CookieBrowser();
    expect(await finish(victim, back)).toBe('expired');
    await victim.ask(`${rig.origin}/auth/oidc/start`);
    expect(await finish(victim, back)).toBe('expired');
    expect((await fetchKey(victim, rig)).status).toBe(401);
  });

  test('if a code is used twice', async () => {
    const back = await returnToService(browser, rig, 'ada');
    const copy = new CookieBrowser();
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
    expect(await finish(browser, back)).toBeNull();
    expect(await finish(browser, back)).toBe('expired');
    expect(await finish(copy, back)).toBe('expired');
  });

  test('with a code that was issued to another browser', async () => {
    const attacker = new CookieBrowser();
    rig.provider.people.set('eve', { name: 'Eve', groups: ['qa'] });
    const stolen = (await returnToService(attacker, rig, 'eve')).searchParams.get('code')!;
    const back = await returnToService(browser, rig, 'ada');
    back.searchParams.set('code', stolen);
    expect(await finish(browser, back)).toBe('expired');
    expect(await usersNamed('Eve')).toEqual([]);
  });

  test('with the ID token of another attempt', async () => {
    const change = (url: URL) => url.searchParams.set('nonce', 'another');
    expect(await finish(browser, await returnToService(browser, rig, 'ada', change))).toBe('untrusted');
  });

  test('from another provider', async () => {
    const back = await returnToService(browser, rig, 'ada');
    back.searchParams.set('iss', 'https://evil.example');
    expect(await finish(browser, back)).toBe('untrusted');
  });

  test('with a modified or expired cookie', async () => {
    const back = await returnToService(browser, rig, 'ada');
    const name = 'phonebooth-sign-in';
    const sealed = browser.cookies.get(name)!;
    browser.cookies.set(name, `${sealed.slice(0, -4)}AAAA`);
    expect(await finish(browser, back)).toBe('expired');
    browser.cookies.set(name, sealed);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 601_000 });
    try {
      expect(await finish(browser, back)).toBe('expired');
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('a browser session is opened', () => {
  test('once', async () => {
    await walkThrough(browser, rig, 'ada');
    const copy = new CookieBrowser();
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
    expect((await fetchKey(browser, rig)).key).toMatch(/^pb_/);
    for (const again of [browser, copy])
      expect(await fetchKey(again, rig)).toEqual({ status: 401, code: 40001, key: null });
  });

  test('only to the console', async () => {
    await walkThrough(browser, rig, 'ada');
    expect(await fetchKey(browser, rig, 'https://evil.example')).toMatchObject({ status: 403, code: 40003 });
    expect(await fetchKey(browser, rig, 'null')).toMatchObject({ status: 403 });
    expect((await fetchKey(browser, rig)).status).toBe(200);
  });

  test('only within a minute', async () => {
    await walkThrough(browser, rig, 'ada');
    rig.rig.travel(61_000);
    expect(await fetchKey(browser, rig)).toMatchObject({ status: 401 });
  });

  test('never in an address: redirects contain neither key nor ticket', async () => {
    const back = await returnToService(browser, rig, 'ada');
    const { headers } = await browser.ask(back.href);
    expect(headers.location).toBe('/signed-in');
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^phonebooth-sign-in=; Max-Age=0;/),
      expect.stringMatching(/^phonebooth-ticket=[\w-]{43}; Max-Age=60; Path=\/; HttpOnly; SameSite=Strict$/),
    ]);
  });
});

test('supports a public client without a secret', async () => {
  await using open = await startSignInRig({ clientSecret: null });
  open.provider.people.set('ada', { name: 'Ada', groups: ['qa'] });
  expect(await walkThrough(browser, open, 'ada')).toBeNull();
  expect((await fetchKey(browser, open)).status).toBe(200);
});

test('reports a wrong client secret as a configuration error', async () => {
  await using wrong = await startSignInRig({ settings: { clientSecret: 'not-this-one' } });
  wrong.provider.people.set('ada', { name: 'Ada', groups: ['qa'] });
  expect(await walkThrough(browser, wrong, 'ada')).toBe('misconfigured');
});

test('reports an unreachable provider to the browser and retries on the next request', async () => {
  await using gone = await startSignInRig();
  await gone.provider[Symbol.asyncDispose]();
  const redirect = async () => (await browser.ask(`${gone.origin}/auth/oidc/start`)).headers.location;
  expect(await redirect()).toBe('/signed-in?problem=unreachable');
  // Another server now listens on that port, and it is not an identity provider
  const { port } = new URL(gone.provider.issuer);
  const other = createServer((_, response) => response.writeHead(404).end());
  await new Promise<void>((resolve) => other.listen(Number(port), 'localhost', resolve));
  expect(await redirect()).toBe('/signed-in?problem=unreachable');
  await new Promise((resolve) => other.close(resolve));
});

test('limits clients that guess tickets', async () => {
  await using limited = await startSignInRig({ rates: { failed: 6 } });
  const codes: number[] = [];
  for (let n = 0; n < 5; n += 1) codes.push((await fetchKey(browser, limited)).code);
  expect(codes).toEqual([40001, 40001, 40001, 40029, 40029]);
});
