import { expect, test } from 'vitest';
import { BitWriter } from './bit-writer.ts';
import { type SliceHeader, writeSliceHeader } from './slice-header.ts';

function hex(header: SliceHeader): string {
  const out = new BitWriter();
  writeSliceHeader(out, header);
  out.trailingBits();
  return Buffer.from(out.bytes).toString('hex');
}

test('writes the header of an IDR slice', () => {
  expect(hex({ idr: true, frameNum: 0, idrPicId: 1 })).toBe('888022a0');
});

test('writes the header of a P slice', () => {
  expect(hex({ idr: false, frameNum: 255, idrPicId: 0 })).toBe('9bfe2a');
});
