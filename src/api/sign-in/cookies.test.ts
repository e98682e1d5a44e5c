import { expect, test } from 'vitest';
import { Cookie } from './cookies.ts';

test('is bound to the host over TLS', () => {
  const cookie = new Cookie('ticket', { sameSite: 'Strict', seconds: 60, isSecure: true });
  expect(cookie.setHeader('abc')).toBe(
    '__Host-ticket=abc; Max-Age=60; Path=/; HttpOnly; Secure; SameSite=Strict',
  );
  expect(cookie.deleteHeader).toBe('__Host-ticket=; Max-Age=0; Path=/; HttpOnly; Secure; SameSite=Strict');
});

test('is found among other cookies, and does not match a name with the same suffix', () => {
  const cookie = new Cookie('ticket', { sameSite: 'Lax', seconds: 60, isSecure: false });
  expect(cookie.read('a=1; ticket=abc=; b=2')).toBe('abc=');
  expect(cookie.read('other-ticket=abc')).toBeNull();
  expect(cookie.read('ticket=')).toBeNull();
  expect(cookie.read(undefined)).toBeNull();
});
