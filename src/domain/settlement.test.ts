import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Reservation, settle } from './settlement.ts';

const MINUTE = 60_000;
const reservation = { month: '2026-01', minutesReserved: 30, minutesNextMonth: 0, connectedAt: 0 };
const charge = (connectedAt: number | null, usedUntil: number) =>
  settle({ ...reservation, connectedAt, usedUntil }).minutesCharged;

const any: fc.Arbitrary<Reservation> = fc
  .record({
    first: fc.integer({ min: 1, max: 500 }),
    later: fc.nat(500),
    connectedAt: fc.option(fc.nat()),
    ms: fc.nat(),
  })
  .map(({ first, later, connectedAt, ms }) => ({
    month: '2026-12',
    minutesReserved: first + later,
    minutesNextMonth: later,
    connectedAt,
    usedUntil: (connectedAt ?? 0) + ms,
  }));

describe('the settlement of a session', () => {
  test('charges whole minutes, rounded up, at least one and at most the reservation', () => {
    expect(charge(null, 10 * MINUTE)).toBe(0);
    expect(charge(0, 0)).toBe(1);
    expect(charge(0, 1)).toBe(1);
    expect(charge(0, MINUTE)).toBe(1);
    expect(charge(0, MINUTE + 1)).toBe(2);
    expect(charge(0, 31 * MINUTE)).toBe(30);
    // The last contact with its host was before the session became connected.
    expect(charge(5 * MINUTE, 4 * MINUTE)).toBe(1);
  });

  test('refunds unused minutes to the months they came from, latest first', () => {
    const extended = { ...reservation, month: '2026-12', minutesReserved: 50, minutesNextMonth: 20 };
    expect(settle({ ...extended, usedUntil: 15 * MINUTE }).refunds).toEqual([
      { month: '2027-01', minutes: 20 },
      { month: '2026-12', minutes: 15 },
    ]);
    expect(settle({ ...extended, usedUntil: 40 * MINUTE }).refunds).toEqual([
      { month: '2027-01', minutes: 10 },
    ]);
    expect(settle({ ...extended, usedUntil: 50 * MINUTE }).refunds).toEqual([]);
  });

  test('charges and refunds exactly the reserved minutes in each month', () => {
    fc.assert(
      fc.property(any, (session) => {
        const { minutesCharged, refunds } = settle(session);
        const back = (month: string) =>
          refunds.filter((refund) => refund.month === month).reduce((sum, { minutes }) => sum + minutes, 0);
        expect(minutesCharged + back('2026-12') + back('2027-01')).toBe(session.minutesReserved);
        expect(back('2027-01')).toBeLessThanOrEqual(session.minutesNextMonth);
        expect(back('2026-12')).toBeLessThanOrEqual(session.minutesReserved - session.minutesNextMonth);
        expect(minutesCharged > 0).toBe(session.connectedAt !== null);
      }),
    );
  });
});
