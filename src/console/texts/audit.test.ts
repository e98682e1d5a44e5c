import { expect, test } from 'vitest';
import { operations } from '../../contract/http/operations.ts';
import { auditTexts } from './audit.ts';

test('has a label for every audited operation', () => {
  const noted = Object.entries(operations({ maxDurationMinutes: 480 })).filter(
    ([, { method }]) => method !== 'GET',
  );
  expect(noted.length).toBeGreaterThan(20);
  expect(noted.map(([id]) => id).filter((id) => !(id in auditTexts.actions))).toEqual([]);
});
