import { expect, test } from 'vitest';
import { identityOf } from './identity.ts';

const token = { iss: 'https://id.example', sub: 'u1' };
const of = (claims: object, userInfo: object = {}) =>
  identityOf({ ...token, ...claims }, { ...userInfo }, 'groups');

test('prefers the claims of the ID token to those of the userinfo response', () => {
  expect(of({ name: 'Ada', groups: ['qa'] }, { name: 'else', email: 'ada@example.com' })).toEqual({
    ...{ issuer: 'https://id.example', subject: 'u1', name: 'Ada', email: 'ada@example.com', groups: ['qa'] },
  });
});

test('falls back to other claims if there is no usable name', () => {
  expect(of({ preferred_username: 'ada', email: 'a@example.com' }).name).toBe('ada');
  expect(of({ email: 'a@example.com' }).name).toBe('a@example.com');
  expect(of({ name: ' \u0000 ' }).name).toBe('u1');
});

test('strips control characters from the name and bounds its length', () => {
  expect(of({ name: 'Ada\u202e\nsi nimda' }).name).toBe('Ada si nimda');
  expect(of({ name: 'x'.repeat(5_000) }).name).toHaveLength(100);
});

test('omits an unverified email address', () => {
  expect(of({ email: 'boss@example.com', email_verified: false })).toMatchObject({
    ...{ name: 'u1', email: null },
  });
});

test('accepts groups as a list or a single string, and ignores other values', () => {
  expect(of({ groups: 'qa' }).groups).toEqual(['qa']);
  expect(of({ groups: ['qa', 5, null, { a: 1 }] }).groups).toEqual(['qa']);
  expect(of({ groups: { qa: true } }).groups).toEqual([]);
  expect(of({}).groups).toEqual([]);
});

test('rejects claims without a valid issuer and subject', () => {
  for (const wrong of [{ sub: 5 }, { iss: undefined }, { sub: 'x'.repeat(256) }])
    expect(() => of(wrong)).toThrow('untrusted');
});
