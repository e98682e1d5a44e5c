import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { seal, unseal } from './seal.ts';

const keys = [randomBytes(32)];
const value = { state: 's', until: 1 };

test('opens a sealed value only with the same key and purpose', () => {
  const sealed = seal(keys, 'sign-in', value);
  expect(unseal(keys, 'sign-in', sealed)).toEqual(value);
  expect(unseal([randomBytes(32)], 'sign-in', sealed)).toBeNull();
  expect(unseal(keys, 'else', sealed)).toBeNull();
  expect(seal(keys, 'sign-in', value)).not.toBe(sealed);
  expect(Buffer.from(sealed, 'base64url').toString('latin1')).not.toContain('state');
});

test('rejects a modified or truncated value', () => {
  const sealed = seal(keys, 'sign-in', value);
  const bytes = Buffer.from(sealed, 'base64url');
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at]! ^= 1;
    expect(unseal(keys, 'sign-in', changed.toString('base64url')), `byte ${at}`).toBeNull();
    expect(unseal(keys, 'sign-in', bytes.subarray(0, at).toString('base64url')), `to ${at}`).toBeNull();
  }
});

test('seals with the newest key and opens values that any configured key sealed', () => {
  const newer = [randomBytes(32), ...keys];
  expect(unseal(newer, 'sign-in', seal(keys, 'sign-in', value))).toEqual(value);
  expect(unseal(keys, 'sign-in', seal(newer, 'sign-in', value))).toBeNull();
});
