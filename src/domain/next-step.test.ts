import { describe, expect, test } from 'vitest';
import { nextStep, type TroubleFacts } from './next-step.ts';

const offline: TroubleFacts = {
  condition: 'offline',
  present: true,
  problem: null,
  host: { name: 'shelf', state: 'up' },
  claimedBy: null,
};

describe('the next step for a phone', () => {
  test('is empty if the phone is available or busy', () => {
    expect(nextStep({ ...offline, condition: 'available' })).toBeNull();
    expect(nextStep({ ...offline, condition: 'busy' })).toBeNull();
  });

  test('is to move the phone or revoke a host if two hosts report it', () => {
    for (const condition of ['available', 'offline'] as const)
      expect(nextStep({ ...offline, condition, claimedBy: { name: 'attic' } })).toMatch(/^The host attic/);
  });

  test('concerns the host before the phone', () => {
    const problem = 'unauthorized: unlock it';
    expect(nextStep({ ...offline, problem, host: { name: 'shelf', state: 'silent' } })).toMatch(
      /machine shelf/,
    );
    expect(nextStep({ ...offline, problem, host: { name: 'shelf', state: 'revoked' } })).toMatch(
      /another host/,
    );
    expect(nextStep({ ...offline, present: false })).toMatch(/cable/);
    expect(nextStep({ ...offline, problem })).toMatch(/Allow/);
    expect(nextStep({ ...offline, problem: 'the phone is starting' })).toBe('Wait for the phone to start.');
  });

  test('is phonebooth doctor for an unknown problem', () => {
    expect(nextStep({ ...offline, problem: 'something new' })).toMatch(/phonebooth doctor on the host shelf/);
  });

  test('for a phone in maintenance is to end maintenance', () => {
    expect(nextStep({ ...offline, condition: 'maintenance' })).toMatch(/maintenance/);
  });
});
