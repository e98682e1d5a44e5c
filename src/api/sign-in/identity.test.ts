import { expect, test } from 'vitest';
import { identityOf } from './identity.ts';

const token = { iss: 'https://id.example', sub: 'u1' };
const of = (claims: object, userInfo: object = {}) =>
  identityOf({ ...token, ...claims }, { ...userInfo }, 'groups');

test('says who it is, with what the ID token says before what the user info does', () => {
  expect(of({ name: 'Ada', groups: ['qa'] }, { name: 'else', email: 'ada@example.com' })).toEqual({
    ...{ issuer: 'https://id.example', subject: 'u1', name: 'Ada', email: 'ada@example.com', groups: ['qa'] },
  });
});

test('finds a name where there is none', () => {
  expect(of({ preferred_username: 'ada', email: 'a@example.com' }).name).toBe('ada');
  expect(of({ email: 'a@example.com' }).name).toBe('a@example.com');
  expect(of({ name: ' \u0000 ' }).name).toBe('u1');
});

test('a name is one line that looks like what it is, and not endless', () => {
  expect(of({ name: 'Ada\u202e\nsi nimda' }).name).toBe('Ada si nimda');
  expect(of({ name: 'x'.repeat(5_000) }).name).toHaveLength(100);
});

test('an address that the provider did not check is not told', () => {
  expect(of({ email: 'boss@example.com', email_verified: false })).toMatchObject({
    ...{ name: 'u1', email: null },
  });
});

test('groups may be a list or one; anything else is none', () => {
  expect(of({ groups: 'qa' }).groups).toEqual(['qa']);
  expect(of({ groups: ['qa', 5, null, { a: 1 }] }).groups).toEqual(['qa']);
  expect(of({ groups: { qa: true } }).groups).toEqual([]);
  expect(of({}).groups).toEqual([]);
});

test('nobody is nobody', () => {
  for (const wrong of [{ sub: 5 }, { iss: undefined }, { sub: 'x'.repeat(256) }])
    expect(() => of(wrong)).toThrow('untrusted');
});
