import { describe, expect, test } from 'vitest';
import { nextStep, type TroubleFacts } from './next-step.ts';

const offline: TroubleFacts = {
  condition: 'offline',
  present: true,
  problem: null,
  host: { name: 'shelf', state: 'up' },
  claimedBy: null,
};

describe('what to do with a phone', () => {
  test('that is available or busy: nothing', () => {
    expect(nextStep({ ...offline, condition: 'available' })).toBeNull();
    expect(nextStep({ ...offline, condition: 'busy' })).toBeNull();
  });

  test('that another host reports too: move it, or revoke that host', () => {
    for (const condition of ['available', 'offline'] as const)
      expect(nextStep({ ...offline, condition, claimedBy: { name: 'attic' } })).toMatch(/^The host attic/);
  });

  test('the host comes before the phone', () => {
    const problem = 'unauthorized: unlock it';
    expect(nextStep({ ...offline, problem, host: { name: 'shelf', state: 'silent' } })).toMatch(
      /machine shelf/,
    );
    expect(nextStep({ ...offline, problem, host: { name: 'shelf', state: 'revoked' } })).toMatch(
      /another host/,
    );
    expect(nextStep({ ...offline, present: false })).toMatch(/cable/);
    expect(nextStep({ ...offline, problem })).toMatch(/Allow/);
  });

  test('a problem that nobody knows is for phonebooth doctor', () => {
    expect(nextStep({ ...offline, problem: 'something new' })).toMatch(/phonebooth doctor on the host shelf/);
  });

  test('maintenance is ended by who began it', () => {
    expect(nextStep({ ...offline, condition: 'maintenance' })).toMatch(/maintenance/);
  });
});
