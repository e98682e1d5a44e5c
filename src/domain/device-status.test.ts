import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commonReason, type DeviceFacts, deviceStatus, unavailableReason } from './device-status.ts';

const ready: DeviceFacts = {
  live: false,
  maintenance: false,
  present: true,
  usable: true,
  epoch: 3,
  cleanEpoch: 3,
};

const facts = fc.record({
  live: fc.boolean(),
  maintenance: fc.boolean(),
  present: fc.boolean(),
  usable: fc.boolean(),
  epoch: fc.nat(3),
  cleanEpoch: fc.integer({ min: -1, max: 3 }),
});

describe('the status of a phone', () => {
  test.each([
    [{}, 'available', null],
    [{ cleanEpoch: 4 }, 'available', null],
    [{ cleanEpoch: 2 }, 'busy', 'cleaning'],
    [{ cleanEpoch: -1, epoch: 0 }, 'busy', 'cleaning'],
    [{ usable: false }, 'offline', 'offline'],
    [{ present: false }, 'offline', 'offline'],
    [{ maintenance: true, present: false }, 'maintenance', 'maintenance'],
    [{ live: true, cleanEpoch: 2 }, 'busy', 'in_use'],
    [{ live: true, maintenance: true, usable: false }, 'busy', 'in_use'],
  ] as const)('%j is %s', (difference, status, reason) => {
    expect(deviceStatus({ ...ready, ...difference })).toBe(status);
    expect(unavailableReason({ ...ready, ...difference })).toBe(reason);
  });

  test('has a reason exactly when the phone is not available', () => {
    fc.assert(
      fc.property(
        facts,
        (device) => (unavailableReason(device) === null) === (deviceStatus(device) === 'available'),
      ),
    );
  });

  test('is available only for a phone that is present, clean and not in use', () => {
    fc.assert(
      fc.property(facts, (device) => {
        const lendable =
          !device.live &&
          !device.maintenance &&
          device.present &&
          device.usable &&
          device.cleanEpoch >= device.epoch;
        return (deviceStatus(device) === 'available') === lendable;
      }),
    );
  });
});

test.each([
  [['offline', 'in_use', 'cleaning'], 'in_use'],
  [['maintenance', 'cleaning', 'offline'], 'cleaning'],
  [['maintenance', 'offline'], 'offline'],
  [['maintenance', 'maintenance'], 'maintenance'],
  [[], 'offline'],
] as const)(
  'rejects a connect to any of several phones that are %j with the reason %s',
  (reasons, common) => {
    expect(commonReason(reasons)).toBe(common);
  },
);
