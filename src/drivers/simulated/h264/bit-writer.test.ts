import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BitWriter } from './bit-writer.ts';
import { BitReader } from './test-bit-reader.ts';

const element = fc.oneof(
  fc.integer({ min: 1, max: 24 }).chain((count) =>
    fc.record({
      kind: fc.constant('u' as const),
      count: fc.constant(count),
      value: fc.nat(2 ** count - 1),
    }),
  ),
  fc.record({ kind: fc.constant('ue' as const), value: fc.nat(2 ** 24 - 2) }),
  fc.record({ kind: fc.constant('se' as const), value: fc.integer({ min: -(2 ** 22), max: 2 ** 22 }) }),
);
type Element = typeof element extends fc.Arbitrary<infer T> ? T : never;

function write(out: BitWriter, item: Element): void {
  if (item.kind === 'u') out.bits(item.value, item.count);
  else if (item.kind === 'ue') out.unsignedExpGolomb(item.value);
  else out.signedExpGolomb(item.value);
}

function read(reader: BitReader, item: Element): number {
  if (item.kind === 'u') return reader.bits(item.count);
  return item.kind === 'ue' ? reader.unsignedExpGolomb() : reader.signedExpGolomb();
}

test('writes the Exp-Golomb codes of Table 9-2', () => {
  const out = new BitWriter();
  for (const value of [0, 1, 2, 3, 7]) out.unsignedExpGolomb(value);
  out.trailingBits();
  // 1 010 011 00100 0001000, then the stop bit and alignment
  expect([...out.bytes]).toEqual([0b10100110, 0b01000001, 0b00010000]);
});

test('writes bits that a reader returns unchanged', () => {
  fc.assert(
    fc.property(fc.array(element), (items) => {
      const out = new BitWriter();
      for (const item of items) write(out, item);
      const { bitLength } = out;
      out.trailingBits();
      const reader = new BitReader(out.bytes);
      expect(items.map((item) => read(reader, item))).toEqual(items.map((item) => item.value));
      expect(reader.position).toBe(bitLength);
      expect(reader.bit()).toBe(1);
    }),
  );
});

test('discards what was written since the mark on rewind', () => {
  fc.assert(
    fc.property(fc.array(element), fc.array(element), fc.array(element), (kept, dropped, after) => {
      const expected = new BitWriter();
      for (const item of [...kept, ...after]) write(expected, item);
      expected.trailingBits();
      const out = new BitWriter();
      for (const item of kept) write(out, item);
      const { bitLength } = out;
      for (const item of dropped) write(out, item);
      out.rewind(bitLength);
      for (const item of after) write(out, item);
      out.trailingBits();
      expect(out.bytes).toEqual(expected.bytes);
    }),
  );
});

test('grows beyond its initial buffer', () => {
  const out = new BitWriter();
  for (let i = 0; i < 100_000; i++) out.bits(i & 255, 8);
  expect(out.bytes.length).toBe(100_000);
  expect(out.bytes[99_999]).toBe(99_999 & 255);
});
