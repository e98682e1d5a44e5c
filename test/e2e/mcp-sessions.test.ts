import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PhoneboothClient } from '../../src/client/phonebooth-client.ts';
import { until, within } from '../black-box/kit/wait.ts';
import { type Service, startService } from '../fixtures/service.ts';
import { promised } from '../nightly.ts';
import { agentOverHttp, agentOverStdio, COMMAND, mcpEnv, sessionIn, stdioTransport } from './mcp-rig.ts';

const CHILD = fileURLToPath(new URL('./mcp-client-child.ts', import.meta.url));
const EXAMPLE = fileURLToPath(new URL('../../examples/agent-mcp.ts', import.meta.url));

let service: Service;
let api: PhoneboothClient;

beforeAll(async () => {
  service = await startService({ settings: { PHONEBOOTH_SIMULATED_PHONES: '2' } });
  api = new PhoneboothClient({ baseUrl: service.baseUrl, key: service.key });
});
afterAll(() => service?.[Symbol.asyncDispose]());

const endOf = (session: string) =>
  until(`the end of ${session}`, async () => (await api.getSession(session)).end_reason);

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

const send = (body: unknown, headers: Record<string, string> = {}, key: string | null = service.key) =>
  fetch(`${service.httpOrigin}/mcp`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(key !== null && { authorization: `Bearer ${key}` }),
      ...headers,
    },
  });

const end = (id: string, key = service.key) =>
  fetch(`${service.httpOrigin}/mcp`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${key}`, 'mcp-session-id': id },
  });

/** Creates a key, in a new account by default. Returns the key, its id and the account's id. */
async function newKey(role: 'user' | 'viewer', accountId?: string) {
  const account = accountId ?? (await api.admin.createAccount({ name: `agents-${crypto.randomUUID()}` })).id;
  const { key, id } = await api.admin.createKey(account, { name: 'agent', role });
  return { key: key!, id, account };
}

describe('borrowed phones are released', () => {
  test('when a client ends its MCP session over HTTP', async () => {
    const agent = await agentOverHttp(service);
    const session = await agent.borrow();
    await agent[Symbol.asyncDispose]();
    expect((await api.getSession(session)).end_reason).toBe('client');
  });

  test('when a client over stdio closes its input', async () => {
    const agent = await agentOverStdio(stdioTransport(service));
    const session = await agent.borrow();
    await agent[Symbol.asyncDispose]();
    expect(await endOf(session)).toBe('client');
  });

  test('when the command receives SIGTERM', async () => {
    const transport = stdioTransport(service);
    await using agent = await agentOverStdio(transport);
    const session = await agent.borrow();
    process.kill(transport.pid!, 'SIGTERM');
    expect(await endOf(session)).toBe('client');
  });

  test('when a client over stdio is killed', async () => {
    const child = spawn(process.execPath, [CHILD, process.execPath, COMMAND, 'mcp'], {
      env: mcpEnv(service),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const output = once(child.stdout.setEncoding('utf8'), 'data');
    const [line] = (await within('the borrowed session', output, 90_000)) as [string];
    const session = sessionIn(line);
    await until(
      'the phone to be available',
      async () => (await api.getSession(session)).status === 'connected',
    );
    child.kill('SIGKILL');
    expect(await endOf(session)).toBe('client');
  });

  test('when the client cancels a pending borrow', async () => {
    await using agent = await agentOverHttp(service);
    const [first] = [await agent.borrow(), await agent.borrow()];
    const waiting = new AbortController();
    const queued = Promise.withResolvers<string>();
    const asked = agent.client.callTool(
      { name: 'borrow_phone', arguments: { wait_seconds: 60 } },
      {
        signal: waiting.signal,
        onprogress: ({ message }) => queued.resolve(message ?? ''),
      },
    );
    asked.catch(() => {});
    expect(await queued.promise).toBe('Waiting for one of 2 phones: position 1 in the queue');
    waiting.abort();
    await expect(asked).rejects.toThrow();
    await agent.use('give_back', { phone: first });
    const free = async () => (await api.listDevices({ status: 'available' })).total === 1;
    await until('the phone to be available', free);
    expect((await api.listSessions({ status: 'connecting' })).total).toBe(0);
    expect(await agent.use('my_phones')).not.toContain('Other live sessions');
  });

  test('when the session is idle for too long, and when the service stops', async () => {
    await using other = await startService({
      settings: { PHONEBOOTH_SIMULATED_PHONES: '2', PHONEBOOTH_MCP_IDLE_TIMEOUT: '4' },
    });
    const its = new PhoneboothClient({ baseUrl: other.baseUrl, key: other.key });
    const reasonOf = async (id: string) => (await its.getSession(id)).end_reason;
    const idle = await agentOverHttp(other);
    const sessionless = await agentOverHttp(other, { pin: '2026-07-28' });
    const sessions = [await idle.borrow(), await sessionless.borrow()];
    for (const session of sessions) {
      const reason = await until('the idle agent’s phone to be available', () => reasonOf(session));
      expect(reason).toBe('client');
    }
    await expect(idle.ask('my_phones')).rejects.toThrow('the MCP session does not exist');
    await idle.client.close();
    await sessionless.client.close();
    const last = await agentOverHttp(other);
    const session = await last.borrow();
    await other.stop();
    await last.client.close();
    await other.restart();
    expect(await reasonOf(session)).toBe('client');
  });
});

describe('authorization', () => {
  test('answers 401 without a valid key, as the API does', async () => {
    for (const key of [null, 'pb_wrong']) {
      const response = await send(INITIALIZE, {}, key);
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer realm="phonebooth"');
      expect(await response.json()).toMatchObject({ code: 40001 });
    }
    await expect(agentOverHttp({ ...service, key: 'pb_wrong' })).rejects.toThrow();
  });

  test('reports an invalid key to an agent over stdio', async () => {
    await using agent = await agentOverStdio(stdioTransport(service, 'k'.repeat(40)));
    const { text, isError } = await agent.ask('list_phones');
    expect(isError).toBe(true);
    expect(text).toMatch(/API key is invalid, revoked or expired; ask .*\. Tell the user/);
  });

  test('lets a viewer’s key look and explains that it can do no more', async () => {
    const { key, account } = await newKey('viewer');
    const user = new PhoneboothClient({ baseUrl: service.baseUrl, key: (await newKey('user', account)).key });
    await using agent = await agentOverHttp({ ...service, key });
    expect(await agent.use('list_phones')).toMatch(/, (available|busy)$/m);
    const { text, isError } = await agent.ask('borrow_phone');
    expect(isError).toBe(true);
    expect(text).toMatch(
      /role of this key is read-only.*Tell the user that this needs an API key with another role/,
    );
    const { session_id } = await user.borrow({ duration: 5, wait: 60 });
    await until('an available phone', async () => (await user.getSession(session_id)).status === 'connected');
    expect((await agent.ask('look', { phone: session_id })).images).toHaveLength(1);
    expect((await agent.ask('use_phone', { session_id })).text).toContain(
      'The role of this API key is read-only',
    );
    await user.disconnect(session_id);
  });

  test('rejects calls in an open session after its key is revoked', async () => {
    const { key, id } = await newKey('user');
    const agent = await agentOverHttp({ ...service, key });
    const session = await agent.borrow();
    await api.admin.revokeKey(id);
    const revokedAt = performance.now();
    await until('the MCP session to be rejected', () =>
      agent.ask('my_phones').then(
        () => false,
        () => true,
      ),
    );
    expect(performance.now() - revokedAt).toBeLessThan(promised(5_000));
    await agent.client.close();
    const listed = async () => (await api.admin.listSessions({ page_size: 100 })).items;
    const reason = async () => (await listed()).find(({ session_id }) => session_id === session)?.end_reason;
    expect(await until('the end of its phone’s session', reason)).toBe('admin');
  });

  test('binds a session to its key', async () => {
    const response = await send(INITIALIZE);
    const id = response.headers.get('mcp-session-id')!;
    await response.body!.cancel();
    const { key } = await newKey('user');
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    expect((await send(list, { 'mcp-session-id': id }, key)).status).toBe(404);
    expect((await end(id, key)).status).toBe(404);
    expect((await end(id)).status).toBe(200);
    expect((await send(list, { 'mcp-session-id': id })).status).toBe(404);
  });

  test('rejects pages from other origins, whatever host name they used', async () => {
    for (const origin of [
      'https://evil.example',
      `http://rebound.example:${new URL(service.httpOrigin).port}`,
      'null',
    ]) {
      const response = await send(INITIALIZE, { origin });
      expect({ origin, status: response.status }).toEqual({ origin, status: 403 });
    }
    const response = await send(INITIALIZE, { origin: service.httpOrigin });
    expect(response.status).toBe(200);
    await response.body!.cancel();
    await end(response.headers.get('mcp-session-id')!);
  });

  test('limits the sessions of a key until one ends', async () => {
    const { key } = await newKey('user');
    const open = async () => {
      const response = await send(INITIALIZE, {}, key);
      const { status, headers } = response;
      const text = await response.text();
      return { status, id: headers.get('mcp-session-id'), text, retryAfter: headers.get('retry-after') };
    };
    const opened = await Promise.all(Array.from({ length: 20 }, open));
    expect(opened.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(await open()).toMatchObject({
      status: 429,
      text: expect.stringContaining('this key has 20 open MCP sessions'),
      retryAfter: '60',
    });
    await end(opened[0]!.id!, key);
    expect((await open()).status).toBe(200);
  });
});

test('rejects malformed messages', async () => {
  expect((await send('{')).status).toBe(400);
  expect((await send({ jsonrpc: '2.0', id: 1, method: 'tools/list' })).status).toBe(400);
  expect((await send('x'.repeat(600 * 1024))).status).toBe(413);
  const put = await fetch(`${service.httpOrigin}/mcp`, { method: 'PUT' });
  expect({ status: put.status, body: await put.json() }).toMatchObject({
    status: 404,
    body: { code: 40007 },
  });
});

const hasIpv6 = Object.values(networkInterfaces()).some((own) =>
  own?.some(({ address }) => address === '::1'),
);

test('audits actions of agents and invalid keys with the client’s address', async () => {
  expect(hasIpv6, 'this test needs the IPv6 loopback address ::1').toBe(true);
  await using agent = await agentOverHttp({
    ...service,
    httpOrigin: service.httpOrigin.replace('localhost', '[::1]'),
  });
  const session = await agent.borrow();
  await send(INITIALIZE, {}, 'pb_wrong');
  const { items } = await api.admin.listAudit({ page_size: 100 });
  const entry = items.find(
    ({ action, targets }) => action === 'sessions.borrow' && targets.some(({ id }) => id === session),
  );
  expect(entry).toMatchObject({ address: '::1', code: 0, key: { prefix: expect.any(String) } });
  expect(items).toContainEqual(expect.objectContaining({ action: 'mcp', code: 40001, key: null }));
});

test('the example agent writes a note and ends the session', async () => {
  const child = spawn(process.execPath, [EXAMPLE], {
    env: { PATH: process.env.PATH, PHONEBOOTH_URL: service.httpOrigin, PHONEBOOTH_API_KEY: service.key },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  const [code] = (await once(child, 'close')) as [number];
  expect({ code, out }).toEqual({
    code: 0,
    out: expect.stringMatching(/Typed 19 characters.*has ended; [1-5] minutes? charged/s),
  });
  expect(await endOf(sessionIn(out))).toBe('client');
});
