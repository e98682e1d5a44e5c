import { expect, test } from 'vitest';
import { COEFF_TOKEN, RUN_BEFORE, TOTAL_ZEROS, TOTAL_ZEROS_CHROMA_DC } from './cavlc-tables.ts';

const digits = (code: number) => (code & 0xffff).toString(2).padStart(code >> 16, '0');

/** The fraction of the code space that a table uses. */
const kraftSum = (codes: string[]) => codes.reduce((sum, code) => sum + 2 ** -code.length, 0);

const tables = [
  ...COEFF_TOKEN.map((codes, i) => [`coeff_token ${i}`, codes] as const),
  ...TOTAL_ZEROS.map((codes, i) => [`total_zeros ${i + 1}`, codes] as const),
  ...TOTAL_ZEROS_CHROMA_DC.map((codes, i) => [`chroma DC total_zeros ${i + 1}`, codes] as const),
  ...RUN_BEFORE.map((codes, i) => [`run_before ${i + 1}`, codes] as const),
];

test.each(tables)('%s is a prefix code', (_name, packed) => {
  const codes = [...packed].filter((code) => code !== 0).map(digits);
  for (const code of codes) {
    expect(codes.filter((other) => other.startsWith(code))).toEqual([code]);
  }
  expect(kraftSum(codes)).toBeLessThanOrEqual(1);
});

test('every table has its size in the standard', () => {
  const sizes = COEFF_TOKEN.map((codes) => codes.filter((code) => code !== 0).length);
  expect(sizes).toEqual([62, 62, 62, 62, 14]);
  expect(TOTAL_ZEROS.map((codes) => codes.length)).toEqual([
    16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2,
  ]);
  expect(TOTAL_ZEROS_CHROMA_DC.map((codes) => codes.length)).toEqual([4, 3, 2]);
  expect(RUN_BEFORE.map((codes) => codes.length)).toEqual([2, 3, 4, 5, 6, 7, 15]);
});
