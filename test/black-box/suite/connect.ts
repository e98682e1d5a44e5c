import { describe, expect, test } from 'vitest';
import { type Device, refused, refusedField, type Session, succeeded } from '../kit/api.ts';
import { borrow, borrowConnected, freeDevice } from '../kit/borrow.ts';
import type { Target } from '../kit/target.ts';
import { until } from '../kit/wait.ts';

const ISO_UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

const defaultMinutes = ({ created_at, expires_at }: Session) =>
  (Date.parse(expires_at) - Date.parse(created_at)) / 60_000;

/** Interface document, 4.2: creating a session. */
export function connectSuite(target: Target): void {
  describe('connect', () => {
    test('returns a connecting session with its two socket addresses and its end time', async () => {
      await using loan = await borrow(target.api, { duration: 7 });
      const { session, device } = loan;
      expect(session.status).toBe('connecting');
      expect(session.device_id).toBe(device.id);
      expect(session.expires_at).toMatch(ISO_UTC);
      expect(defaultMinutes(session)).toBeCloseTo(7, 3);
      expect(Math.abs(Date.parse(session.created_at) - Date.now())).toBeLessThan(60_000);
      const stream = new URL(session.stream_url);
      const control = new URL(session.control_url);
      for (const url of [stream, control]) {
        expect(url.protocol).toBe('wss:');
        expect(url.pathname.split('/').at(-1)).toBe(session.session_id);
        expect(url.search + url.hash + url.username).toBe('');
      }
      expect(stream.hostname).not.toBe(control.hostname);
      expect(stream.pathname).toMatch(/^\/stream\/[A-Za-z0-9_.-]{22,}\//);
      expect(control.pathname).toMatch(/^\/control\/[A-Za-z0-9_.-]{22,}\//);
      expect(stream.pathname.split('/')[2]).not.toBe(control.pathname.split('/')[2]);
    });

    test('results in a connected session without further requests', async () => {
      await using loan = await borrowConnected(target.api);
      expect(loan.session.connected_at).toMatch(ISO_UTC);
    });

    test.each([
      ['no body at all', { body: undefined, headers: {} }],
      ['a content type without a body', { body: undefined, headers: { 'content-type': 'application/json' } }],
      ['{}', { body: {}, headers: {} }],
      ['null', { body: null, headers: {} }],
      ['nulls', { body: { duration: null, app_id: null }, headers: {} }],
      [
        'a content type with a charset',
        { body: {}, headers: { 'content-type': 'application/json; charset=utf-8' } },
      ],
    ])('connects for the default of 30 minutes with %s', async (_, { body, headers }) => {
      const answer = await until('an available phone', async () => {
        const device = await freeDevice(target.api);
        const connected = await target.api.post<Session>(`/devices/${device.id}/connect`, body, { headers });
        return connected.code !== 40010 && connected;
      });
      const session = succeeded(answer);
      succeeded(await target.api.post(`/sessions/${session.session_id}/disconnect`));
      expect(defaultMinutes(session)).toBeCloseTo(30, 3);
      expect(session.minutes_reserved).toBe(30);
    });

    test('makes the device busy, and a second connect is answered with 40010', async () => {
      await using loan = await borrow(target.api);
      const path = `/devices/${loan.device.id}`;
      expect(succeeded(await target.api.get<Device>(path)).status).toBe('busy');
      expect(refused(await target.api.post(`${path}/connect`, {}), 409, 40010)).toEqual({ reason: 'in_use' });
    });

    test('grants a device to only one of many concurrent connects', async () => {
      const device = await freeDevice(target.api);
      const answers = await Promise.all(
        Array.from({ length: 12 }, () =>
          target.api.post<Session>(`/devices/${device.id}/connect`, { duration: 1 }),
        ),
      );
      const granted = answers.filter(({ code }) => code === 0);
      for (const { data } of granted)
        succeeded(await target.api.post(`/sessions/${data.session_id}/disconnect`));
      expect(answers.map(({ code }) => code).sort()).toEqual([0, ...Array(11).fill(40010)]);
    });

    test.each([
      ['a word', 'nobody'],
      ['not ASCII', '%F0%9F%93%B1'],
      ['a very long text', 'x'.repeat(2000)],
    ])('answers 40004 for an unknown device: %s', async (_, id) => {
      refused(await target.api.post(`/devices/${id}/connect`, { duration: 1 }), 404, 40004);
    });

    test.each([
      ['zero', { duration: 0 }, 'body.duration'],
      ['negative', { duration: -1 }, 'body.duration'],
      ['a fraction', { duration: 1.5 }, 'body.duration'],
      ['text', { duration: '30' }, 'body.duration'],
      ['a boolean', { duration: true }, 'body.duration'],
      ['a list', { duration: [30] }, 'body.duration'],
      ['above the maximum', { duration: 10_081 }, 'body.duration'],
      ['beyond a safe number', { duration: 1e300 }, 'body.duration'],
      ['an app id that is not a string', { app_id: 5 }, 'body.app_id'],
      ['an empty app id', { app_id: '' }, 'body.app_id'],
      ['a misspelled field', { durration: 30 }, 'body.durration'],
      ['a field name of Object.prototype', JSON.parse('{"__proto__": 1}'), 'body.__proto__'],
    ])('rejects an invalid body: %s', async (_, body, field) => {
      const device = await freeDevice(target.api);
      refusedField(await target.api.post(`/devices/${device.id}/connect`, body), field);
    });

    test.each([[[]], ['text'], [5], [true]])('rejects a body that is not an object: %j', async (body) => {
      const device = await freeDevice(target.api);
      refusedField(await target.api.post(`/devices/${device.id}/connect`, body), 'body');
    });
  });

  describe('idempotency key', () => {
    const connectTo = (device: Device, key: string, body: object) =>
      target.api.post<Session>(`/devices/${device.id}/connect`, body, {
        headers: { 'idempotency-key': key },
      });

    test('replays the same session, and answers 40012 for a different request', async () => {
      const key = crypto.randomUUID();
      const { device, session } = await until('an available phone', async () => {
        const candidate = await freeDevice(target.api);
        const answer = await connectTo(candidate, key, { duration: 3 });
        return answer.code !== 40010 && { device: candidate, session: succeeded(answer) };
      });
      const again = succeeded(await connectTo(device, key, { duration: 3 }));
      expect(again.session_id).toBe(session.session_id);
      expect(again.stream_url).toBe(session.stream_url);
      refused(await connectTo(device, key, { duration: 4 }), 409, 40012);
      refused(await connectTo({ ...device, id: 'another' }, key, { duration: 3 }), 409, 40012);
      succeeded(await target.api.post(`/sessions/${session.session_id}/disconnect`));
      const late = succeeded(await connectTo(device, key, { duration: 3 }));
      expect(late).toMatchObject({ session_id: session.session_id, status: 'disconnected' });
    });

    test('creates one session for many concurrent replays', async () => {
      const device = await freeDevice(target.api);
      const key = crypto.randomUUID();
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => connectTo(device, key, { duration: 2 })),
      );
      const sessions = new Set(answers.map((answer) => succeeded(answer).session_id));
      for (const id of sessions) succeeded(await target.api.post(`/sessions/${id}/disconnect`));
      expect(sessions.size).toBe(1);
    });

    test.each([
      ['empty', ''],
      ['too long', 'x'.repeat(256)],
      ['with a space', 'two words'],
    ])('is rejected if it is %s', async (_, key) => {
      const device = await freeDevice(target.api);
      refusedField(await connectTo(device, key, { duration: 1 }), 'header.idempotency-key');
    });
  });
}
