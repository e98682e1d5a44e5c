import { expect, test } from 'vitest';
import { readReceiverUrl } from './receiver-url.ts';

test.each([
  ['not an address', 'must be a URL such as'],
  ['ftp://example.com/', 'must be a URL such as'],
  ['file:///etc/passwd', 'must be a URL such as'],
  ['https://user@example.com/', 'must not contain a user name'],
  ['https://:secret@example.com/', 'must not contain a user name'],
  ['http://127.0.0.1/', 'public Internet'],
  ['http://2130706433/', 'public Internet'],
  ['http://0x7f.1/', 'public Internet'],
  ['http://0177.0.0.1/', 'public Internet'],
  ['http://[::1]:8080/', 'public Internet'],
  ['http://[::ffff:10.0.0.1]/', 'public Internet'],
  ['http://169.254.169.254/latest/meta-data/', 'public Internet'],
  ['http://localhost:8080/hook', 'public Internet'],
  ['http://receiver.LocalHost./hook', 'public Internet'],
])('rejects %s', (url, words) => {
  expect(() => readReceiverUrl(url, false)).toThrow(expect.objectContaining({ code: 40000 }));
  expect(() => readReceiverUrl(url, false)).toThrow(`body.url ${words.startsWith('must') ? words : ''}`);
  expect(() => readReceiverUrl(url, false)).toThrow(words);
});

test('normalizes a valid URL and removes its fragment', () => {
  expect(readReceiverUrl('HTTPS://Example.com/a?b=c#d', false)).toBe('https://example.com/a?b=c');
  expect(readReceiverUrl('http://1.1.1.1:8080/x', false)).toBe('http://1.1.1.1:8080/x');
  expect(readReceiverUrl('https://receiver.internal/x', false)).toBe('https://receiver.internal/x');
});

test('accepts private addresses if they are allowed', () => {
  expect(readReceiverUrl('http://127.0.0.1:9/', true)).toBe('http://127.0.0.1:9/');
  expect(readReceiverUrl('http://localhost:9/', true)).toBe('http://localhost:9/');
  expect(() => readReceiverUrl('http://a:b@127.0.0.1:9/', true)).toThrow('must not contain a user name');
});
