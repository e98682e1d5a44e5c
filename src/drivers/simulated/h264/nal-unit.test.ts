import fc from 'fast-check';
import { expect, test } from 'vitest';
import { SEQUENCE_PARAMETER_SET } from '../../../contract/sockets/h264-config.ts';
import { annexBNalUnit, NAL_IDR_SLICE } from './nal-unit.ts';

/** Removes every emulation_prevention_three_byte. */
function rbspOf(unit: Uint8Array): number[] {
  const rbsp: number[] = [];
  let zeros = 0;
  for (const byte of unit.subarray(5)) {
    if (zeros === 2 && byte === 3) {
      zeros = 0;
      continue;
    }
    rbsp.push(byte);
    zeros = byte === 0 ? zeros + 1 : 0;
  }
  return rbsp;
}

test('writes the start code, the header and the emulation prevention', () => {
  const unit = annexBNalUnit(NAL_IDR_SLICE, Uint8Array.of(0, 0, 1, 0, 0, 0, 0, 0, 0, 3, 0, 0, 4));
  expect([...unit]).toEqual([0, 0, 0, 1, 0x65, 0, 0, 3, 1, 0, 0, 3, 0, 0, 3, 0, 0, 3, 3, 0, 0, 4]);
});

test('recovers an RBSP from its NAL unit, which contains no start code', () => {
  const bytes = fc.array(fc.oneof({ weight: 4, arbitrary: fc.nat(4) }, fc.nat(255)), { maxLength: 200 });
  fc.assert(
    fc.property(bytes, (rbsp) => {
      const unit = annexBNalUnit(SEQUENCE_PARAMETER_SET, Uint8Array.from(rbsp));
      expect(rbspOf(unit)).toEqual(rbsp);
      for (let i = 5; i + 2 < unit.length; i++) {
        expect(unit[i] === 0 && unit[i + 1] === 0 && unit[i + 2]! < 3).toBe(false);
      }
    }),
  );
});
