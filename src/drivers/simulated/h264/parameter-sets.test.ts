import { expect, test } from 'vitest';
import { levelFor } from './level.ts';
import { pictureParameterSet, sequenceParameterSet } from './parameter-sets.ts';

const level = levelFor(34, 74)!;
const format = { width: 540, height: 1170, widthInMacroblocks: 34, heightInMacroblocks: 74, level, qp: 24 };
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

test('writes the sequence parameter set of a phone', () => {
  expect(hex(sequenceParameterSet(format))).toBe('000000016742c01f95a0220257b889a808683520f8ca80');
});

test('writes the picture parameter set', () => {
  expect(hex(pictureParameterSet(format))).toBe('0000000168ce0bc8');
});
