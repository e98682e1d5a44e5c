import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BitWriter } from './bit-writer.ts';
import { CavlcWriter, CHROMA_DC_CONTEXT, MAX_LEVEL } from './cavlc.ts';
import {
  COEFF_TOKEN,
  COEFF_TOKEN_CHROMA_DC,
  COEFF_TOKEN_COLUMN,
  RUN_BEFORE,
  TOTAL_ZEROS,
  TOTAL_ZEROS_CHROMA_DC,
} from './cavlc-tables.ts';
import { BitReader } from './test-bit-reader.ts';

function readLevels(reader: BitReader, totalCoeff: number, trailingOnes: number): number[] {
  const levels: number[] = [];
  let suffixLength = totalCoeff > 10 && trailingOnes < 3 ? 1 : 0;
  for (let i = 0; i < totalCoeff; i++) {
    if (i < trailingOnes) {
      levels.push(1 - 2 * reader.bit());
      continue;
    }
    let prefix = 0;
    while (reader.bit() === 0) prefix++;
    if (prefix > 15) throw new RangeError(`level_prefix ${prefix} is not allowed in the Baseline profile`);
    const suffixSize = prefix === 14 && suffixLength === 0 ? 4 : prefix === 15 ? 12 : suffixLength;
    let levelCode = (Math.min(15, prefix) << suffixLength) + reader.bits(suffixSize);
    if (prefix === 15 && suffixLength === 0) levelCode += 15;
    if (i === trailingOnes && trailingOnes < 3) levelCode += 2;
    const level = levelCode % 2 === 0 ? (levelCode + 2) / 2 : (-levelCode - 1) / 2;
    levels.push(level);
    if (suffixLength === 0) suffixLength = 1;
    if (Math.abs(level) > 3 << (suffixLength - 1) && suffixLength < 6) suffixLength++;
  }
  return levels;
}

/** Parses residual_block_cavlc() of clauses 7.3.5.3.2 and 9.2, written from the decoder's side. */
function readBlock(reader: BitReader, count: number, nC: number): number[] {
  const isChromaDc = nC === CHROMA_DC_CONTEXT;
  const token = reader.code(COEFF_TOKEN[isChromaDc ? COEFF_TOKEN_CHROMA_DC : COEFF_TOKEN_COLUMN[nC]!]!);
  const totalCoeff = token >> 2;
  const levels = readLevels(reader, totalCoeff, token & 3);
  const block = new Array<number>(count).fill(0);
  if (totalCoeff === 0) return block;
  const totalZeros = isChromaDc ? TOTAL_ZEROS_CHROMA_DC : TOTAL_ZEROS;
  let zerosLeft = totalCoeff < count ? reader.code(totalZeros[totalCoeff - 1]!) : 0;
  let index = totalCoeff + zerosLeft - 1;
  levels.forEach((level, i) => {
    block[index] = level;
    const isLast = i === totalCoeff - 1;
    const run = zerosLeft > 0 && !isLast ? reader.code(RUN_BEFORE[Math.min(zerosLeft, 7) - 1]!) : 0;
    zerosLeft -= run;
    index -= run + 1;
  });
  return block;
}

const level = fc.oneof(
  { weight: 4, arbitrary: fc.constant(0) },
  { weight: 3, arbitrary: fc.constantFrom(1, -1) },
  { weight: 2, arbitrary: fc.integer({ min: -40, max: 40 }) },
  fc.integer({ min: -MAX_LEVEL, max: MAX_LEVEL }),
  fc.constantFrom(-MAX_LEVEL, MAX_LEVEL),
);
const block = fc
  .oneof(
    fc.record({ count: fc.constantFrom(15, 16), nC: fc.nat(16) }),
    fc.record({ count: fc.constant(4), nC: fc.constant(CHROMA_DC_CONTEXT) }),
  )
  .chain(({ count, nC }) =>
    fc.record({ nC: fc.constant(nC), levels: fc.array(level, { minLength: count, maxLength: count }) }),
  );

test('produces blocks that a decoder reads back', () => {
  fc.assert(
    fc.property(fc.array(block, { minLength: 1, maxLength: 8 }), (blocks) => {
      const out = new BitWriter();
      const writer = new CavlcWriter(out);
      for (const { nC, levels } of blocks) {
        const totalCoeff = writer.residualBlock(Int32Array.from(levels), 0, levels.length, nC);
        expect(totalCoeff).toBe(levels.filter((value) => value !== 0).length);
      }
      out.trailingBits();
      const reader = new BitReader(out.bytes);
      for (const { nC, levels } of blocks) expect(readBlock(reader, levels.length, nC)).toEqual(levels);
    }),
    { numRuns: 200 },
  );
});

test('writes the levels of a published example', () => {
  // The first CAVLC example in Richardson, "H.264 and MPEG-4 Video Compression"
  const out = new BitWriter();
  new CavlcWriter(out).residualBlock(
    Int32Array.of(0, 3, 0, 1, -1, -1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0),
    0,
    16,
    0,
  );
  out.trailingBits();
  expect([...out.bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')).toMatch(
    /^000010001110010111101101/,
  );
});
