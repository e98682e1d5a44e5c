import { describe, expect, test } from 'vitest';
import { promised } from '../../nightly.ts';
import { type Page, refused, refusedField, type Session, succeeded } from '../kit/api.ts';
import { borrow, borrowConnected, connected } from '../kit/borrow.ts';
import type { Target } from '../kit/target.ts';
import { until } from '../kit/wait.ts';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Interface document, 4.3, and the additional session operations of the service. */
export function sessionsSuite(target: Target): void {
  const get = async (id: string) => succeeded(await target.api.get<Session>(`/sessions/${id}`));
  const disconnect = (id: string, body?: unknown) =>
    target.api.post<Session>(`/sessions/${id}/disconnect`, body);

  describe('disconnect', () => {
    test('returns the session with the end reason client, and the same response when repeated', async () => {
      await using loan = await borrow(target.api);
      const id = loan.session.session_id;
      const ended = succeeded(await disconnect(id));
      expect(ended).toMatchObject({ session_id: id, status: 'disconnected', end_reason: 'client' });
      expect(Date.parse(ended.ended_at!)).toBeGreaterThanOrEqual(Date.parse(ended.created_at));
      expect(succeeded(await disconnect(id))).toEqual(ended);
      expect(succeeded(await disconnect(id, {}))).toEqual(ended);
      expect(await get(id)).toEqual(ended);
    });

    test('makes the device available within 10 s', async () => {
      const loan = await borrowConnected(target.api);
      await loan[Symbol.asyncDispose]();
      await until(
        'the device to be available again',
        async () => {
          const { status } = succeeded(await target.api.get(`/devices/${loan.device.id}`));
          return status === 'available';
        },
        { deadlineMs: promised(10_000) },
      );
    });

    test('answers 40005 for an unknown session', async () => {
      refused(await disconnect('ses_AAAAAAAAAAAAAAAAAAAAAA'), 404, 40005);
      refused(await disconnect('%F0%9F%93%B1'), 404, 40005);
    });

    test('accepts no fields', async () => {
      await using loan = await borrow(target.api);
      refusedField(await disconnect(loan.session.session_id, { force: true }), 'body.force');
      expect((await get(loan.session.session_id)).status).not.toBe('disconnected');
    });
  });

  describe('sessions', () => {
    test('are returned individually and in a list, newest first', async () => {
      await using first = await borrow(target.api);
      await using second = await borrow(target.api);
      const ids = [second.session.session_id, first.session.session_id];
      for (const id of ids) expect((await get(id)).session_id).toBe(id);
      const page = succeeded(await target.api.get<Page<Session>>('/sessions?page_size=100'));
      expect(page.items.map(({ session_id }) => session_id).slice(0, 2)).toEqual(ids);
      const times = page.items.map(({ created_at }) => Date.parse(created_at));
      expect(times).toEqual([...times].sort((a, b) => b - a));
    });

    test('can be filtered by status and device', async () => {
      await using loan = await borrow(target.api);
      const { device } = loan;
      const ofDevice = succeeded(await target.api.get<Page<Session>>(`/sessions?device_id=${device.id}`));
      expect(new Set(ofDevice.items.map(({ device_id }) => device_id))).toEqual(new Set([device.id]));
      const path = `/sessions?device_id=${device.id}&page_size=100&status=`;
      const over = succeeded(await target.api.get<Page<Session>>(`${path}disconnected`));
      expect(over.items.map(({ session_id }) => session_id)).not.toContain(loan.session.session_id);
      expect(over.items.filter(({ status }) => status !== 'disconnected')).toEqual([]);
      refusedField(await target.api.get('/sessions?status=over'), 'query.status');
      refusedField(await target.api.get('/sessions?page_size=101'), 'query.page_size');
      refusedField(await target.api.get('/sessions?account=x'), 'query.account');
    });

    test('are answered with 40005 if they do not exist', async () => {
      refused(await target.api.get('/sessions/nobody'), 404, 40005);
      refused(await target.api.get('/sessions/nobody/screenshot'), 404, 40005);
      refused(await target.api.post('/sessions/nobody/extend', { duration: 1 }), 404, 40005);
    });
  });

  describe('extend', () => {
    test.each([
      ['nothing', undefined],
      ['no duration', {}],
      ['no minutes', { duration: 0 }],
      ['above the maximum', { duration: 10_081 }],
      ['text', { duration: '5' }],
    ])('rejects %s', async (_, body) => {
      await using loan = await borrow(target.api);
      refusedField(
        await target.api.post(`/sessions/${loan.session.session_id}/extend`, body),
        'body.duration',
      );
    });

    test('rejects a duration above the maximum length of a session', async () => {
      await using loan = await borrow(target.api, { duration: 2 });
      const path = `/sessions/${loan.session.session_id}/extend`;
      const maximum = target.api.description.bodyOf('/sessions/{session_id}/extend', 'post').duration!
        .maximum!;
      refusedField(await target.api.post(path, { duration: maximum - 1 }), 'body.duration');
      expect(await get(loan.session.session_id)).toMatchObject({ minutes_reserved: 2 });
    });

    test('scales a screenshot down to a requested longest side, and never up', async () => {
      await using loan = await borrowConnected(target.api);
      const path = `/sessions/${loan.session.session_id}/screenshot`;
      const sizeOf = ({ bytes }: { bytes: Buffer }) => [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
      const [width, height] = sizeOf(await target.api.get(path));
      const small = sizeOf(await target.api.get(`${path}?max_side=200`));
      expect(Math.max(...small)).toBe(200);
      expect(small[0]! / small[1]!).toBeCloseTo(width! / height!, 1);
      expect(sizeOf(await target.api.get(`${path}?max_side=8192`))).toEqual([width, height]);
      const wrong = await target.api.get(`${path}?max_side=15`);
      refused(wrong, 400, 40000);
      expect(wrong.message).toContain('query.max_side must be a whole number from 16 to 8192');
    });

    test('answers 40013 for a session that has ended', async () => {
      await using loan = await borrow(target.api);
      succeeded(await disconnect(loan.session.session_id));
      refused(
        await target.api.post(`/sessions/${loan.session.session_id}/extend`, { duration: 1 }),
        409,
        40013,
      );
    });
  });

  describe('a screenshot', () => {
    test('is a PNG with the aspect ratio of the device', async () => {
      await using loan = await borrowConnected(target.api);
      const answer = await target.api.get(`/sessions/${loan.session.session_id}/screenshot`);
      expect(answer.status).toBe(200);
      expect(answer.headers['content-type']).toBe('image/png');
      expect(answer.bytes.subarray(0, 8)).toEqual(PNG);
      const [width, height] = [answer.bytes.readUInt32BE(16), answer.bytes.readUInt32BE(20)];
      const [deviceWidth, deviceHeight] = loan.device.resolution.split('x').map(Number);
      expect(width / height).toBeCloseTo(deviceWidth! / deviceHeight!, 1);
    });

    test('is answered with 40013 for a session that has ended, and with 40014 before it is connected', async () => {
      await using loan = await borrow(target.api);
      const path = `/sessions/${loan.session.session_id}/screenshot`;
      // How soon the phone is ready depends on the deployment. Only one response is correct before that point, and
      // only one after it.
      const early = await target.api.get(path);
      if (early.status !== 200) refused(early, 409, 40014);
      succeeded(await disconnect(loan.session.session_id));
      refused(await target.api.get(path), 409, 40013);
    });
  });

  test('reports a session as connected in every response once it is connected', async () => {
    await using loan = await borrow(target.api);
    const { connected_at } = await connected(target.api, loan.session);
    expect((await get(loan.session.session_id)).connected_at).toBe(connected_at);
  });
}
