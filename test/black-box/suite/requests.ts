import { connect as connectTcp } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { describe, expect, test } from 'vitest';
import { refused, refusedField, succeeded } from '../kit/api.ts';
import { freeDevice } from '../kit/borrow.ts';
import type { Target } from '../kit/target.ts';
import { within } from '../kit/wait.ts';

const JSON_TYPE = { 'content-type': 'application/json' };

/** Tests of authentication (interface document, 5) and of malformed requests. */
export function requestsSuite(target: Target): void {
  describe('authentication', () => {
    test.each([
      ['no header', null],
      ['nothing', ''],
      ['no scheme', 'pb_AAAA'],
      ['another scheme', 'Basic cGI6cGI='],
      ['no key', 'Bearer'],
      ['an empty key', 'Bearer '],
      ['two keys', 'Bearer a b'],
      ['an unknown key', `Bearer pb_${'A'.repeat(43)}`],
      ['a very long key', `Bearer ${'A'.repeat(4000)}`],
    ])('answers 40001 in the error envelope with a challenge for %s', async (_, authorization) => {
      const headers: Record<string, string> = authorization === null ? {} : { authorization };
      for (const [method, path] of [
        ['GET', '/devices'],
        ['GET', '/sessions/some'],
        ['POST', '/devices/some/connect'],
        ['POST', '/sessions/some/disconnect'],
      ] as const) {
        const answer = await target.api.request(method, path, { key: null, headers });
        refused(answer, 401, 40001);
        expect(answer.headers['www-authenticate']).toMatch(/^Bearer/);
      }
    });

    test('is checked before all other parts of a request', async () => {
      refused(await target.api.get('/devices?page=0', { key: null }), 401, 40001);
      const body = Buffer.from('{broken');
      refused(
        await target.api.post('/devices/some/connect', body, { key: null, headers: JSON_TYPE }),
        401,
        40001,
      );
    });

    test('accepts the scheme in any case', async () => {
      const headers = { authorization: `bearer ${target.api.key}` };
      succeeded(await target.api.get('/devices', { key: null, headers }));
    });
  });

  describe('every response', () => {
    test('has a request id and must not be cached', async () => {
      const [first, second] = [await target.api.get('/devices'), await target.api.get('/nothing')];
      for (const { headers } of [first, second]) {
        expect(headers['x-request-id']).toMatch(/^[\w-]{16,}$/);
        expect(headers['content-type']).toMatch(/^application\/json/);
        expect(headers['cache-control']).toBe('no-store');
      }
      expect(first.headers['x-request-id']).not.toBe(second.headers['x-request-id']);
    });
  });

  describe('an unknown route', () => {
    test.each(['/', '/nothing', '/devices/a/b/c', '/sessions/a/connect', '/Devices', '/..%2f'])(
      'is answered with 40007: %s',
      async (path) => {
        refused(await target.api.get(path), 404, 40007);
      },
    );

    test.each([
      ['POST', '/devices', 'GET'],
      ['DELETE', '/devices', 'GET'],
      ['PUT', '/sessions/some', 'GET'],
      ['PATCH', '/devices/some/connect', 'POST'],
      ['GET', '/devices/some/connect', 'POST'],
      ['GET', '/sessions/some/disconnect', 'POST'],
    ])('answers 40015 and names the allowed methods for %s %s', async (method, path, allowed) => {
      const answer = await target.api.request(method, path);
      refused(answer, 405, 40015);
      expect(answer.headers.allow).toContain(allowed);
    });

    test.each([
      ['malformed JSON', JSON_TYPE],
      ['of another content type', { 'content-type': 'text/plain' }],
    ])('is answered with 40007 regardless of its body: %s', async (_, headers) => {
      refused(await target.api.post('/nothing', Buffer.from('{'), { headers }), 404, 40007);
    });

    test('is answered with 40007 outside the version prefix too', async () => {
      const { status, bytes } = await target.api.fetch('/v2/devices');
      expect(status).toBe(404);
      expect(JSON.parse(bytes.toString())).toMatchObject({ code: 40007, data: {} });
    });
  });

  describe('a malformed request', () => {
    const send = async (body: Buffer, headers: Record<string, string> = JSON_TYPE) => {
      const device = await freeDevice(target.api);
      return target.api.post(`/devices/${device.id}/connect`, body, { headers });
    };

    test.each([
      ['truncated', '{'],
      ['without a value', '{"duration":}'],
      ['with a trailing comma', '{"duration":1,}'],
      ['in single quotes', "{'duration':1}"],
      ['NaN', 'NaN'],
      ['a null byte', '\u0000'],
      ['two values', '{} {}'],
      ['deeply nested', '['.repeat(5000)],
    ])('is answered with 40000 if the body is not JSON: %s', async (_, text) => {
      refusedField(await send(Buffer.from(text)), 'body');
    });

    test('is answered with 40000 if the body is not UTF-8', async () => {
      refusedField(await send(Buffer.from('{"app_id":"\xff\xfe"}', 'latin1')), 'body');
      refusedField(await send(Buffer.from('{"app_id":"a"}', 'utf16le')), 'body');
    });

    test.each([
      undefined,
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'nonsense',
    ])('is answered with 40016 if the content type of its body is %s', async (type) => {
      const answer = await send(Buffer.from('{"duration":1}'), type ? { 'content-type': type } : {});
      refused(answer, 415, 40016);
      expect(answer.message).toContain('application/json');
    });

    test('is answered with 41300 if the body is too large', async () => {
      const body = Buffer.from(JSON.stringify({ app_id: 'x'.repeat(200_000) }));
      refused(await send(body), 413, 41300);
    });

    test.each(['/devices/%', '/devices/%zz', '/devices/%c3%28', '/devices/%ff/connect'])(
      'is answered with 40000 if its path has malformed percent-encoding: %s',
      async (path) => {
        refusedField(await target.api.get(path), 'path');
      },
    );

    test('is accepted with malformed percent-encoding in the query', async () => {
      for (const query of ['page=%', 'page=%zz', 'brand=%ff']) {
        const answer = await target.api.get(`/devices?${query}`);
        expect([0, 40000]).toContain(answer.code);
      }
    });

    test('is rejected if its headers are too large', async () => {
      const text = await sendRaw(
        target,
        `GET /v1/devices HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`,
      );
      expect(text).toMatch(/^HTTP\/1\.1 431 /);
      expect(JSON.parse(text.split('\r\n\r\n')[1]!)).toMatchObject({ code: 40000, data: {} });
    });

    test('is rejected if it is not HTTP', async () => {
      const text = await sendRaw(target, 'what is this\r\n\r\n');
      expect(text).toMatch(/^HTTP\/1\.1 400 /);
      expect(JSON.parse(text.split('\r\n\r\n')[1]!)).toMatchObject({ code: 40000, data: {} });
    });

    test('does not impair the service', async () => {
      succeeded(await target.api.get('/devices'));
    });
  });
}

/** Sends the bytes and returns everything that the server sends until it closes the connection. */
async function sendRaw({ api, ca }: Target, bytes: string): Promise<string> {
  const { protocol, hostname, port } = new URL(api.baseUrl);
  const isTls = protocol === 'https:';
  const host = hostname.replace(/^\[|\]$/g, '');
  const socket = isTls
    ? connectTls({ host, port: Number(port || 443), ca, servername: host })
    : connectTcp(Number(port || 80), host);
  try {
    return await within(
      'the response to raw bytes',
      new Promise<string>((resolve, reject) => {
        let text = '';
        socket.setEncoding('utf8');
        socket.on('data', (chunk: string) => {
          text += chunk;
        });
        socket.on('end', () => resolve(text));
        socket.on('error', reject);
        socket.write(bytes);
      }),
    );
  } finally {
    socket.destroy();
  }
}
