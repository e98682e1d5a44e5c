import { expect, test } from 'vitest';
import { type SocketPurpose, socketToken } from '../../src/util/socket-token.ts';
import { Client, refusal } from './client.ts';
import type { FakeStore } from './fake-store.ts';

export const TOKEN_KEY = new Uint8Array(32).fill(9);
export const ORIGINS = ['https://console.example'];

/** A socket's address for a session of the fake store, whose sessions have epoch 7. */
export const addressOf = (origin: string, purpose: SocketPurpose, sessionId: string, epoch = 7) =>
  `${origin}/${purpose}/${socketToken(TOKEN_KEY, purpose, sessionId, epoch)}/${sessionId}`;

/** Who is let in and who is not, the same for both gateways. The gateway allows ORIGINS only. */
export function doorSuite(purpose: SocketPurpose, world: () => { origin: string; store: FakeStore }): void {
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
    ['something after the session', () => `${good()}/more`],
    ['a query', () => `${good()}?x=1`],
    ['another purpose', () => addressOf(world().origin, other, 's1')],
    ['characters that no identifier has', () => `${good()}%20`],
  ])('404: an address with %s', async (_, url) => {
    await expectRefusal(url(), 404, 40007);
  });

  test('404: a session that does not exist', async () => {
    await expectRefusal(addressOf(world().origin, purpose, 'nobody'), 404, 40005);
  });

  test.each([
    ['too short', () => `${world().origin}/${purpose}/abc/s1`],
    ['of an older lease', () => addressOf(world().origin, purpose, 's1', 6)],
    [
      'of the other socket',
      () => addressOf(world().origin, other, 's1').replace(`/${other}/`, `/${purpose}/`),
    ],
  ])('401: a token %s', async (_, url) => {
    const answer = await expectRefusal(url(), 401, 40001);
    expect(answer.headers).toMatchObject({ 'www-authenticate': 'Bearer' });
  });

  test('410: a session that has ended, for who holds its address; 401 for others', async () => {
    world().store.end('s1', 'client');
    await expectRefusal(good(), 410, 40013);
    await expectRefusal(addressOf(world().origin, purpose, 's1', 6), 401, 40001);
  });

  test('403: a browser from elsewhere; a browser from an allowed origin comes in', async () => {
    await expectRefusal(good(), 403, 40003, { headers: { origin: 'https://evil.example' } });
    const client = new Client(good(), undefined, { origin: ORIGINS[0] });
    await client.opened;
    client.socket.terminate();
  });

  test('400: only unknown subprotocols', async () => {
    await expectRefusal(good(), 400, 40000, { protocols: ['mjpeg', 'scrcpy.v9'] });
  });

  test('503: the store is out of reach', async () => {
    world().store.away = true;
    const answer = await expectRefusal(good(), 503, 50300);
    expect(answer.headers).toMatchObject({ 'retry-after': '1' });
  });
}
