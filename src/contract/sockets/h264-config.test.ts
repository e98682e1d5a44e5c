import { expect, test } from 'vitest';
import { avcCodecString } from './h264-config.ts';

test('reads profile, constraints and level from the sequence parameter set', () => {
  const config = new Uint8Array([
    0, 0, 0, 1, 0x67, 0x42, 0xc0, 0x1f, 0xda, 0, 0, 0, 1, 0x68, 0xce, 0x3c, 0x80,
  ]);
  expect(avcCodecString(config)).toBe('avc1.42c01f');
});

test('finds the parameter set behind other NAL units and a short start code', () => {
  const config = new Uint8Array([0, 0, 1, 0x09, 0x10, 0, 0, 1, 0x27, 0x64, 0x00, 0x28, 0xac]);
  expect(avcCodecString(config)).toBe('avc1.640028');
});

test('rejects a packet without a parameter set', () => {
  expect(() => avcCodecString(new Uint8Array([0, 0, 0, 1, 0x68, 0xce, 0x3c, 0x80, 0, 0]))).toThrow(
    RangeError,
  );
});
