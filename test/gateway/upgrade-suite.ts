import { createHmac } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { json } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { type SocketPurpose, socketToken } from '../../src/access/socket-token.ts';
import { Client, refusal, until } from './client.ts';
import type { FakeStore } from './fake-store.ts';

export const TOKEN_KEY = new Uint8Array(32).fill(9);
export const ORIGINS = ['https://console.example'];

/**
 * Returns a socket address for a session of the fake store. These sessions have epoch 7 and were created with the key
 * k1.
 */
export const addressOf = (
  origin: string,
  purpose: SocketPurpose,
  sessionId: string,
  epoch = 7,
  grantId = 'k1',
) => `${origin}/${purpose}/${socketToken(TOKEN_KEY, { purpose, sessionId, epoch, grantId })}/${sessionId}`;

/** Returns a socket address in the format of the versions before grants. */
const oldAddressOf = (origin: string, purpose: SocketPurpose, sessionId: string) => {
  const mac = createHmac('sha256', TOKEN_KEY).update(`${purpose}\n${sessionId}\n7`).digest('base64url');
  return `${origin}/${purpose}/${mac}/${sessionId}`;
};

/** Tests which upgrades both gateways accept and reject. The gateway allows ORIGINS only. */
export function upgradeSuite(
  purpose: SocketPurpose,
  world: () => { origin: string; store: FakeStore },
): void {
  const other = purpose === 'stream' ? 'control' : 'stream';
  const good = () => addressOf(world().origin, purpose, 's1');
  const expectRefusal = async (url: string, status: number, code: number, options = {}) => {
    const answer = await refusal(url, options);
    expect(answer).toMatchObject({ status, body: { code, data: {} } });
    expect(answer.headers).toMatchObject({ connection: 'close', 'content-type': /^application\/json/ });
    return answer;
  };

  test.each([
    ['no token', () => `${world().origin}/${purpose}/s1`],
    ['a path segment after the session', () => `${good()}/more`],
    ['a query string', () => `${good()}?x=1`],
    ['another purpose', () => addressOf(world().origin, other, 's1')],
    ['characters that are not allowed in identifiers', () => `${good()}%20`],
  ])('answers 404 for an address with %s', async (_, url) => {
    await expectRefusal(url(), 404, 40007);
  });

  test('answers 404 for a session that does not exist', async () => {
    await expectRefusal(addressOf(world().origin, purpose, 'nobody'), 404, 40005);
  });

  test.each([
    ['that is too short', () => `${world().origin}/${purpose}/abc/s1`],
    ['of a previous lease', () => addressOf(world().origin, purpose, 's1', 6)],
    ['of another grant', () => good().replace('/k1.', '/k2.')],
    ['with an empty grant id', () => good().replace('/k1.', '/.')],
    ['with two grant ids', () => good().replace('/k1.', '/k1.k1.')],
    ['without its grant id', () => good().replace('/k1.', '/')],
    ['with a grant id only', () => `${world().origin}/${purpose}/k1./s1`],
    [
      'whose last character was modified',
      () => good().replace(/.(?=\/s1$)/, (last) => (last === 'A' ? 'Q' : 'A')),
    ],
    [
      'of the other socket',
      () => addressOf(world().origin, other, 's1').replace(`/${other}/`, `/${purpose}/`),
    ],
  ])('answers 401 for a token %s', async (_, url) => {
    const answer = await expectRefusal(url(), 401, 40001);
    expect(answer.headers).toMatchObject({ 'www-authenticate': 'Bearer' });
  });

  test('answers 410 for a session that has ended if the address was valid, and otherwise 401', async () => {
    world().store.end('s1', 'client');
    await expectRefusal(good(), 410, 40013);
    await expectRefusal(addressOf(world().origin, purpose, 's1', 6), 401, 40001);
  });

  test('answers 401 for an address whose key is no longer valid, without affecting other keys', async () => {
    const other = addressOf(world().origin, purpose, 's1', 7, 'k2');
    world().store.invalidGrants.add('k1');
    const answer = await expectRefusal(good(), 401, 40001);
    expect(answer.body.message).toContain('revoked or expired');
    const client = new Client(other);
    await client.opened;
    client.socket.terminate();
  });

  test('closes the sockets of a key that becomes invalid with 4003, but not those of other keys', async () => {
    const mine = new Client(good());
    await mine.opened;
    world().store.invalidGrants.add('k2');
    const others = new Client(addressOf(world().origin, purpose, 's1', 7, 'k3'));
    await others.opened;
    const revoked = purpose === 'control' ? others : mine;
    world().store.invalidGrants.add(purpose === 'control' ? 'k3' : 'k1');
    await until(() =>
      expect(revoked.closed).toMatchObject({
        code: 4003,
        reason: expect.stringContaining('revoked or expired'),
      }),
    );
    if (purpose !== 'control') expect(others.closed).toBeNull();
    others.socket.terminate();
  });

  test('accepts an address from a version before grants as long as the key that created the session is valid', async () => {
    const url = oldAddressOf(world().origin, purpose, 's1');
    const client = new Client(url);
    await client.opened;
    world().store.invalidGrants.add('k1');
    await until(() => expect(client.closed).toMatchObject({ code: 4003 }));
    await expectRefusal(url, 401, 40001);
    const elsewhere = addressOf(world().origin, other, 's1').replace(`/${other}/`, `/${purpose}/`);
    await expectRefusal(elsewhere, 401, 40001);
  });

  test('answers 403 to a browser from an unknown origin, and accepts an allowed origin', async () => {
    await expectRefusal(good(), 403, 40003, { headers: { origin: 'https://evil.example' } });
    const client = new Client(good(), undefined, { origin: ORIGINS[0] });
    await client.opened;
    client.socket.terminate();
  });

  test('answers 400 if all subprotocols are unknown', async () => {
    await expectRefusal(good(), 400, 40000, { protocols: ['mjpeg', 'scrcpy.v9'] });
  });

  test('answers an invalid handshake with the envelope', async () => {
    const { hostname, port, pathname } = new URL(good());
    const handshake = {
      upgrade: 'websocket',
      connection: 'Upgrade',
      'sec-websocket-key': btoa('0123456789abcdef'),
    };
    const answerTo = async (method: string, version: string) => {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const headers = { ...handshake, 'sec-websocket-version': version };
        const options = { hostname, port, path: pathname, method, headers, agent: false };
        request(options, resolve).on('error', reject).end();
      });
      return { status: answer.statusCode, headers: answer.headers, body: await json(answer) };
    };
    expect(await answerTo('GET', '12')).toMatchObject({
      status: 400,
      headers: { connection: 'close', 'sec-websocket-version': '13, 8' },
      body: { code: 40000, data: {}, message: expect.stringContaining('Sec-WebSocket-Version') },
    });
    expect(await answerTo('POST', '13')).toMatchObject({
      status: 405,
      headers: { connection: 'close', allow: 'GET' },
      body: { code: 40015, data: {} },
    });
  });

  test('answers 503 while the store is unavailable', async () => {
    world().store.away = true;
    const answer = await expectRefusal(good(), 503, 50300);
    expect(answer.headers).toMatchObject({ 'retry-after': '1' });
  });
}
