import { expect, test } from 'vitest';
import { addressFrom } from './url-tool.tsx';

test.each([
  ['https://example.com/a?b#c', 'https://example.com/a?b#c'],
  ['example.com', 'https://example.com'],
  [' example.com/path ', 'https://example.com/path'],
  ['localhost:8080/x', 'https://localhost:8080/x'],
  ['HTTP://Example.com', 'http://Example.com'],
  ['geo:0,0?q=Berlin', 'geo:0,0?q=Berlin'],
  ['tel:110', 'tel:110'],
  ['10.0.0.5:3000', 'https://10.0.0.5:3000'],
  ['myapp://open/item', 'myapp://open/item'],
  ['', null],
  ['two words', null],
  ['https://', null],
])('%s', (typed, expected) => {
  expect(addressFrom(typed)).toBe(expected);
});
