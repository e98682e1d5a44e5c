import { expect, test } from 'vitest';
import { appsIn, filterLog, logText } from './log-filter.ts';

const lines = [
  ['V', 'Input', 'key HOME'],
  ['W', 'Browser', 'opening https://example.com', 'com.phonebooth.browser'],
  ['E', 'Input', 'lost'],
  ['S', 'odd', 'of an unknown level', 'com.android.settings'],
].map(([level = '', tag = '', message = '', app], number) => ({
  ...{ time: '', level, tag, message, number },
  ...(app !== undefined && { app }),
}));
const ALL = { text: '', level: 'V', app: '' } as const;
const numbers = (filter: Partial<Parameters<typeof filterLog>[1]>) =>
  filterLog(lines, { ...ALL, ...filter }).map(({ number }) => number);

test('returns the same array without a filter', () => {
  expect(filterLog(lines, { ...ALL, text: ' ' })).toBe(lines);
});

test('filters by level and never hides an unknown level', () => {
  expect(numbers({ level: 'W' })).toEqual([1, 2, 3]);
});

test('filters by tag, by message and by both', () => {
  expect(numbers({ text: 'input' })).toEqual([0, 2]);
  expect(numbers({ text: 'HTTPS' })).toEqual([1]);
  expect(numbers({ text: 'input: lo' })).toEqual([2]);
});

test('filters by the app that wrote a line', () => {
  expect(appsIn(lines)).toEqual(['com.android.settings', 'com.phonebooth.browser']);
  expect(numbers({ app: 'com.phonebooth.browser' })).toEqual([1]);
  expect(numbers({ app: 'com.phonebooth.browser', level: 'E' })).toEqual([]);
});

test('writes the lines as text', () => {
  const time = '2026-01-01T00:00:00.000Z';
  const [first, second] = lines.map((line) => ({ ...line, time }));
  expect(logText([first!, second!])).toBe(
    `${time} V Input: key HOME\n${time} W Browser (com.phonebooth.browser): opening https://example.com\n`,
  );
});
