import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { connectRefusal } from './connect.ts';
import { extendRefusal } from './extend.ts';
import { monthAfter, monthOf, resetsAt } from './month.ts';
import { countShortfall, minutesShortfall, type QuotaFacts, sessionsShortfall } from './quota.ts';

const quota: QuotaFacts = {
  quotaMinutes: 100,
  maxSessions: 2,
  month: '2026-12',
  usedMinutes: 70,
  liveSessions: 1,
};
const ready = { live: false, maintenance: false, present: true, usable: true, epoch: 0, cleanEpoch: 0 };

describe('months', () => {
  test('are UTC calendar months', () => {
    expect(monthOf(Date.parse('2026-02-28T23:59:59.999Z'))).toBe('2026-02');
    expect(monthOf(Date.parse('2026-03-01T00:00:00.000Z'))).toBe('2026-03');
    expect(monthAfter('2026-12')).toBe('2027-01');
    expect(resetsAt('2026-12')).toBe('2027-01-01T00:00:00.000Z');
    expect(resetsAt('2028-02')).toBe('2028-03-01T00:00:00.000Z');
  });

  test('follow each other without gaps', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date('2999-01-01'), noInvalidDate: true }), (date) => {
        const month = monthOf(date.getTime());
        const next = Date.parse(resetsAt(month));
        expect(next).toBeGreaterThan(date.getTime());
        expect(monthOf(next)).toBe(monthAfter(month));
        expect(monthOf(next - 1)).toBe(month);
      }),
    );
  });
});

describe('quota', () => {
  test('is granted up to the last minute, and always without a limit', () => {
    expect(minutesShortfall(quota, 30)).toBeNull();
    expect(minutesShortfall(quota, 31)).toEqual({
      kind: 'minutes',
      limit: 100,
      used: 70,
      requested: 31,
      resets_at: '2027-01-01T00:00:00.000Z',
    });
    expect(minutesShortfall({ ...quota, quotaMinutes: null }, 1e9)).toBeNull();
    expect(sessionsShortfall(quota)).toBeNull();
    expect(sessionsShortfall({ ...quota, liveSessions: 2 })).toMatchObject({
      kind: 'sessions',
      resets_at: null,
    });
    expect(sessionsShortfall({ ...quota, maxSessions: null, liveSessions: 1e6 })).toBeNull();
    expect(countShortfall('apps', 499, 500)).toBeNull();
    expect(countShortfall('apps', 500, 500)).toMatchObject({ kind: 'apps', used: 500, resets_at: null });
  });
});

describe('connect', () => {
  test('checks the phone first, then the minutes, then the number of sessions', () => {
    const none = { ...quota, usedMinutes: 100, liveSessions: 2 };
    expect(connectRefusal(null, none, 1)).toEqual({ why: 'device-not-found' });
    expect(connectRefusal({ ...ready, live: true }, none, 1)).toEqual({
      why: 'device-unavailable',
      reason: 'in_use',
    });
    expect(connectRefusal(ready, none, 1)).toMatchObject({ why: 'quota', shortfall: { kind: 'minutes' } });
    expect(connectRefusal(ready, { ...none, usedMinutes: 0 }, 1)).toMatchObject({
      why: 'quota',
      shortfall: { kind: 'sessions' },
    });
    expect(connectRefusal(ready, quota, 30)).toBeNull();
  });
});

describe('extend', () => {
  const session = { live: true, expiresAt: 1_000, minutesReserved: 30 };
  const request = { minutes: 30, maxMinutes: 60, now: 999 };

  test('checks the session first, then its length, then the quota', () => {
    const none = { ...quota, usedMinutes: 100 };
    expect(extendRefusal({ ...session, live: false }, none, request)).toEqual({ why: 'ended' });
    expect(extendRefusal(session, none, { ...request, now: 1_000 })).toEqual({ why: 'ended' });
    expect(extendRefusal(session, none, { ...request, minutes: 31 })).toEqual({
      why: 'too-long',
      maxMinutes: 60,
    });
    expect(extendRefusal(session, none, request)).toMatchObject({ why: 'quota' });
    expect(extendRefusal(session, quota, request)).toBeNull();
  });
});
