import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { seal, unseal } from './seal.ts';

const keys = [randomBytes(32)];
const value = { state: 's', until: 1 };

test('opens a sealed value only with the same key and purpose', async () => {
  const sealed = await seal(keys, 'sign-in', value);
  expect(await unseal(keys, 'sign-in', sealed)).toEqual(value);
  expect(await unseal([randomBytes(32)], 'sign-in', sealed)).toBeNull();
  expect(await unseal(keys, 'else', sealed)).toBeNull();
  expect(await seal(keys, 'sign-in', value)).not.toBe(sealed);
  for (const part of sealed.split('.'))
    expect(Buffer.from(part, 'base64url').toString('latin1')).not.toContain('state');
});

test('rejects a modified or truncated value', async () => {
  const sealed = await seal(keys, 'sign-in', value);
  const parts = sealed.split('.').map((part) => Buffer.from(part, 'base64url'));
  const join = (changed: Buffer, index: number) =>
    parts.map((part, n) => (n === index ? changed : part).toString('base64url')).join('.');
  for (const [index, part] of parts.entries()) {
    for (let at = 0; at < part.length; at += 1) {
      const changed = Buffer.from(part);
      changed[at]! ^= 1;
      const where = `byte ${at} of part ${index}`;
      expect(await unseal(keys, 'sign-in', join(changed, index)), where).toBeNull();
      expect(await unseal(keys, 'sign-in', join(part.subarray(0, at), index)), `to ${where}`).toBeNull();
    }
  }
  for (const text of ['', 'x', '....', 'a.b.c', sealed.slice(0, -30), `${sealed}.`])
    expect(await unseal(keys, 'sign-in', text), text).toBeNull();
});

test('rejects a value whose header names other algorithms', async () => {
  const [, ...rest] = (await seal(keys, 'sign-in', value)).split('.');
  const header = Buffer.from(JSON.stringify({ alg: 'A256KW', enc: 'A256GCM' })).toString('base64url');
  expect(await unseal(keys, 'sign-in', [header, ...rest].join('.'))).toBeNull();
});

test('seals with the newest key and opens values that any configured key sealed', async () => {
  const newer = [randomBytes(32), ...keys];
  expect(await unseal(newer, 'sign-in', await seal(keys, 'sign-in', value))).toEqual(value);
  expect(await unseal(keys, 'sign-in', await seal(newer, 'sign-in', value))).toBeNull();
});
