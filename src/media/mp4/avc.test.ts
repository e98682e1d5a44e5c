import { expect, test } from 'vitest';
import { nalUnitRanges } from '../h264.ts';
import { avcConfiguration, writeAvcSample } from './avc.ts';

const bytes = (hex: string) => Buffer.from(hex.replaceAll(' ', ''), 'hex');
const sample = (hex: string) => {
  const parts: Buffer[] = [];
  const packet = bytes(`ffffff${hex}`);
  const copy = (_: string, source: Buffer, from: number, to: number) =>
    parts.push(Buffer.from(source.subarray(from, to)));
  const append = (_: string, part: Uint8Array) => parts.push(Buffer.from(part));
  const size = writeAvcSample({ copy, append }, 'file', packet, nalUnitRanges(packet, 3));
  const content = Buffer.concat(parts);
  expect(size).toBe(content.length);
  return content.toString('hex');
};

const LONG = `41${'ab'.repeat(9_000)}`;

test.each([
  ['a unit', '00000001 41aabb', '00000003 41aabb'],
  ['a long unit and a short one', `00000001 ${LONG} 000001 41aa`, `00002329 ${LONG} 00000002 41aa`],
  ['a start code of three bytes', '000001 41aabb', '00000003 41aabb'],
  ['several units', '00000001 09f0 00000001 6588 000001 6511', '00000002 09f0 00000002 6588 00000002 6511'],
  [
    'zeros between and after units',
    '0000000001 4180 000000000001 4181 000000',
    '00000002 4180 00000002 4181',
  ],
  ['empty units', '000001 000001 4180 000001', '00000002 4180'],
  ['bytes that prevent a start code', '000001 41 000003 01 80', '00000006 41 000003 01 80'],
])('a frame with %s has a length before each unit', (_, frame, expected) => {
  expect(sample(frame)).toBe(expected.replaceAll(' ', ''));
});

test.each([
  ['no bytes', ''],
  ['no start code', '41aabb'],
  ['bytes before the start code', '41 000001 4180'],
  ['only a start code', '00000001'],
  ['only zeros', '00'.repeat(10_000)],
  ['too many zeros', `${'00'.repeat(100)} 01 4180`],
  ['too many units', '000001 41'.repeat(1_025)],
  ['too many empty units', `000001 41 ${'000001'.repeat(1_025)}`],
])('%s are not a frame', (_, frame) => {
  expect(sample(frame)).toBe('');
});

test('the configuration of a baseline stream contains its parameter sets', () => {
  const config = bytes('00000001 6742c00a95a10469a808683520f89a80 00000001 68ce0bc8');
  expect(avcConfiguration(config)).toEqual(
    bytes('01 42c00a ff e1 0010 6742c00a95a10469a808683520f89a80 01 0004 68ce0bc8'),
  );
});

test('the configuration of a high profile has the chroma format and the depths of the samples', () => {
  const sps = '67640028acd940e00f1e5f011000000300100000030320f1831960';
  const config = bytes(`00000001 ${sps} 00000001 68ebe3cb22c0`);
  const length = (sps.length / 2).toString(16).padStart(4, '0');
  expect(avcConfiguration(config)).toEqual(
    bytes(`01 640028 ff e1 ${length} ${sps} 01 0006 68ebe3cb22c0 fd f8 f8 00`),
  );
});

test.each([
  ['without a PPS', '00000001 6742c00a95a10469a808683520f89a80'],
  ['without an SPS', '00000001 68ce0bc8'],
  ['with a truncated SPS', '00000001 6742 00000001 68ce0bc8'],
  ['with a chroma format that does not exist', '00000001 67640028 8290 00000001 68ce0bc8'],
  ['with an SPS of 64 KiB', `00000001 6742c00a${'55'.repeat(65_536)} 00000001 68ce0bc8`],
])('a config packet %s is rejected', (_, config) => {
  expect(() => avcConfiguration(bytes(config))).toThrow(RangeError);
});
