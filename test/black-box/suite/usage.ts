import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type Device, refused, type Session, succeeded, type Usage } from '../kit/api.ts';
import { borrow, borrowConnected, freeDevice } from '../kit/borrow.ts';
import type { Target } from '../kit/target.ts';
import { until } from '../kit/wait.ts';

/**
 * Tests of the account's used and reserved quota. No other session of the account may start or end in the meantime.
 */
export function usageSuite(target: Target): void {
  const usage = async () => succeeded(await target.api.get<Usage>('/usage'));
  const disconnect = (id: string) => target.api.post<Session>(`/sessions/${id}/disconnect`);

  describe('usage', () => {
    test('reserves minutes at connect and settles them at the end, rounding up to whole minutes', async () => {
      const before = await usage();
      await using loan = await borrowConnected(target.api, { duration: 5 });
      const during = await usage();
      expect(during.minutes.used - before.minutes.used).toBe(5);
      expect(during.minutes.reserved - before.minutes.reserved).toBe(5);
      expect(during.sessions.live - before.sessions.live).toBe(1);
      expect(succeeded(await disconnect(loan.session.session_id)).minutes_charged).toBe(1);
      const after = await usage();
      expect(after.minutes.used - before.minutes.used).toBe(1);
      expect(after.minutes.reserved).toBe(before.minutes.reserved);
      expect(after.sessions.live).toBe(before.sessions.live);
    });

    test('refunds everything for a session that never became connected', async () => {
      // A phone may become ready before the disconnect arrives, so the test tries several. Each is charged as its row
      // says.
      await until('a session that ends before it is connected', async () => {
        const before = await usage();
        await using loan = await borrow(target.api, { duration: 5 });
        const ended = succeeded(await disconnect(loan.session.session_id));
        const charged = ended.connected_at === null ? 0 : 1;
        expect(ended.minutes_charged).toBe(charged);
        expect((await usage()).minutes.used - before.minutes.used).toBe(charged);
        return charged === 0;
      });
    });

    test('names its account, its month and its reset time', async () => {
      const monthNow = () => new Date().toISOString().slice(0, 7);
      const before = monthNow();
      const { account, month, resets_at, minutes } = await usage();
      expect(account).toMatch(/\S/);
      expect([before, monthNow()]).toContain(month);
      const [year, number] = month.split('-').map(Number);
      expect(Date.parse(resets_at)).toBe(Date.UTC(year!, number!));
      expect(minutes.remaining).toBe(minutes.limit === null ? null : minutes.limit - minutes.used);
    });

    test('reserves more minutes for an extension, which moves the end', async () => {
      const before = await usage();
      await using loan = await borrow(target.api, { duration: 4 });
      const { session_id, expires_at } = loan.session;
      const longer = succeeded(
        await target.api.post<Session>(`/sessions/${session_id}/extend`, { duration: 6 }),
      );
      expect(Date.parse(longer.expires_at) - Date.parse(expires_at)).toBe(6 * 60_000);
      expect(longer.minutes_reserved).toBe(10);
      const during = await usage();
      expect(during.minutes.used - before.minutes.used).toBe(10);
      expect(during.minutes.reserved - before.minutes.reserved).toBe(10);
    });

    test('is unchanged by a connect with an unknown app, which is 40006', async () => {
      // Repeated, because a session of an earlier test may end meanwhile
      await until('the same usage before and after', async () => {
        const before = await usage();
        const { id } = await freeDevice(target.api);
        refused(await target.api.post(`/devices/${id}/connect`, { app_id: 'no-such-app' }), 404, 40006);
        const { status } = succeeded(await target.api.get<Device>(`/devices/${id}`));
        return status === 'available' && isDeepStrictEqual(await usage(), before);
      });
    });
  });
}
