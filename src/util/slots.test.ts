import { expect, test } from 'vitest';
import { Slots } from './slots.ts';

test('limits each subject separately and frees a released slot once', () => {
  const slots = new Slots({ total: 3, perSubject: 2 });
  const first = slots.reserve('a') as () => void;
  slots.reserve('a');
  expect(slots.reserve('a')).toBe('subject-full');
  expect(slots.reserve('b')).toBeTypeOf('function');
  expect(slots.reserve('c')).toBe('full');
  first();
  first();
  expect(slots.reserve('c')).toBeTypeOf('function');
  expect(slots.reserve('d')).toBe('full');
});
