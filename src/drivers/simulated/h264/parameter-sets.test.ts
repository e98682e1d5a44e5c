import { expect, test } from 'vitest';
import { BitWriter } from './bit-writer.ts';
import { levelFor } from './level.ts';
import { pictureParameterSet, sequenceParameterSet } from './parameter-sets.ts';
import { writeSliceHeader } from './slice-header.ts';

const level = levelFor(34, 74)!;
const format = { width: 540, height: 1170, widthInMacroblocks: 34, heightInMacroblocks: 74, level, qp: 24 };
const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

test('the sequence parameter set of a phone', () => {
  expect(hex(sequenceParameterSet(format))).toBe('000000016742c01f95a0220257b889a808683520f8ca80');
});

test('the picture parameter set', () => {
  expect(hex(pictureParameterSet(format))).toBe('0000000168ce0bc8');
});

test('the slice headers', () => {
  const header = (idr: boolean) => {
    const out = new BitWriter();
    writeSliceHeader(out, { idr, frameNum: idr ? 0 : 255, idrPicId: 1 });
    out.trailingBits();
    return hex(out.bytes);
  };
  expect(header(true)).toBe('888022a0');
  expect(header(false)).toBe('@P');
});
