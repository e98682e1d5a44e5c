import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, type Socket } from 'node:net';
import { fastify } from 'fastify';
import { expect, test, vi } from 'vitest';
import { Authenticator } from '../../src/api/authenticate.ts';
import { AuditTrail } from '../../src/control-plane/audit/trail.ts';
import { addMcp } from '../../src/server/mcp.ts';
import { silentLog } from '../../src/util/log.ts';
import { until } from '../black-box/kit/wait.ts';
import { phoneReport } from '../store/world.ts';
import { startApiRig } from './api-rig.ts';

const WAIT = { timeout: 60_000 };

interface Answer {
  status: number;
  code: number;
  data: { limit?: number };
}

test('an account that uses its share of screenshots does not block another account', async () => {
  await using rig = await startApiRig();
  const [one, another] = [await connected('phone-1'), await connected('phone-2')];
  const host = Promise.withResolvers<{ refused: string }>();
  const dials = vi.spyOn(rig.context.bus, 'request').mockImplementation(() => host.promise as never);

  const held = Array.from({ length: 20 }, () => one());
  await vi.waitFor(() => expect(dials).toHaveBeenCalledTimes(20), WAIT);
  expect(await one()).toMatchObject({ status: 429, code: 40029, data: { limit: 20 } });
  const theirs = another();
  await vi.waitFor(() => expect(dials).toHaveBeenCalledTimes(21), WAIT);
  host.resolve({ refused: 'the screen is off' });
  for (const answer of await Promise.all([...held, theirs, one()])) expect(answer.code).toBe(50300);

  /** Connects a device with the key of a new account, and returns a function that takes a screenshot of it. */
  async function connected(deviceId: string): Promise<() => Promise<Answer>> {
    await rig.report({ id: deviceId });
    const { key, keyId, accountId } = await rig.key();
    const sessionId = `ses_${deviceId}`;
    await rig.store.connect({
      ...{ sessionId, deviceId, accountId, keyId, minutes: 5, appId: null, idempotency: null },
      ...{ record: null, recordText: false },
    });
    const lease = { sessionId, epoch: 1, connected: true, app: null };
    const phones = [phoneReport({ id: deviceId, lease })];
    await rig.store.reportHost({ hostId: 'host-1', hostName: 'shelf', complete: false, phones });
    return async () => {
      const answer = await fetch(`${rig.baseUrl}/sessions/${sessionId}/screenshot`, {
        headers: { authorization: `Bearer ${key}` },
      });
      return { ...((await answer.json()) as Answer), status: answer.status };
    };
  }
});

test('an account that uses its share of MCP requests does not block another account', async () => {
  await using rig = await startApiRig();
  await using trail = new AuditTrail(rig.store, silentLog);
  await using app = fastify();
  await using _sessions = addMcp(app, {
    config: { allowedOrigins: null, mcpIdleMs: 60_000 },
    ...{ store: rig.store, log: silentLog, limits: rig.context.limits, trail },
    authenticator: new Authenticator(rig.store, silentLog),
    own: () => ({ http: 'http://127.0.0.1:1', sockets: 'ws://127.0.0.1:1' }),
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const [one, another] = [await rig.key(), await rig.key()];
  const ask = async ({ key }: { key: string }): Promise<Answer> => {
    const answer = await fetch(`http://127.0.0.1:${port}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: 'not JSON',
    });
    return { ...((await answer.json()) as Answer), status: answer.status };
  };

  // Requests whose bodies do not arrive
  const held = Array.from({ length: 400 }, () => connect({ port, host: '127.0.0.1' }).on('error', () => {}));
  await using _held = { [Symbol.asyncDispose]: async () => held.forEach((socket) => void socket.destroy()) };
  await Promise.all(held.map((socket) => begin(socket, one.key)));
  const refused = await until('the share to be used up', async () => {
    const answer = await ask(one);
    return answer.status === 429 && answer;
  });
  expect(refused).toMatchObject({ code: 40029, data: { limit: 400 } });
  // The message is malformed, so a 400 response means that the request was admitted
  expect((await ask(another)).status).toBe(400);
  held[0]!.destroy();
  await until('a slot to be released', async () => (await ask(one)).status === 400);
});

async function begin(socket: Socket, key: string): Promise<void> {
  await once(socket, 'connect');
  const headers = ['host: localhost', `authorization: Bearer ${key}`, 'content-type: application/json'];
  socket.write(['POST /mcp HTTP/1.1', ...headers, 'content-length: 10', '', ''].join('\r\n'));
}
