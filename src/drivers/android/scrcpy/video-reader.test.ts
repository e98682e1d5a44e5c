import { expect, test } from 'vitest';
import { decodePacket } from '../../../contract/sockets/stream-packets.ts';
import { VideoReader } from './video-reader.ts';

const UPRIGHT = '0000000167640028acd940e00f1e5f011000000300100000030320f18319600000000168ebe3cb22c0';
const OTHER = '00000001674d4015eca08826f52e0220000003002000000641e2c5b2c00000000168ebe3cb20';

const packet = (high: string, low: string, data: string) =>
  high + low + (data.length / 2).toString(16).padStart(8, '0') + data;
const STREAM = [
  `${'68323634'}${'00000378'}${'00000780'}`,
  packet('80000000', '00000000', UPRIGHT),
  packet('40000001', '00000002', '0000000165aabb'),
  packet('00000001', '00000003', '0000000141cc'),
  packet('80000000', '00000000', OTHER),
  packet('40000001', '00000004', '0000000165dd'),
].join('');

const EXPECTED = [
  'session 888×1920',
  'config',
  'keyframe 4294967298 0000000165aabb',
  'delta 4294967299 0000000141cc',
  'session 270×600',
  'config',
  'keyframe 4294967300 0000000165dd',
];

const show = (encoded: Uint8Array) => {
  const it = decodePacket(encoded);
  if (it.type === 'session') return `session ${it.width}×${it.height}`;
  return it.type === 'config' ? 'config' : `${it.type} ${it.pts} ${Buffer.from(it.data).toString('hex')}`;
};

test.each([1, 5, 13, 64, 4096])('reads a stream in chunks of %i bytes', (step) => {
  const seen: string[] = [];
  const reader = new VideoReader((it) => seen.push(show(it)));
  const bytes = Buffer.from(STREAM, 'hex');
  for (let at = 0; at < bytes.length; at += step) reader.push(bytes.subarray(at, at + step));
  expect(seen).toEqual(EXPECTED);
});

test('emits these bytes, in layout v4', () => {
  const seen: string[] = [];
  new VideoReader((it) => seen.push(Buffer.from(it).toString('hex'))).push(Buffer.from(STREAM, 'hex'));
  expect(seen).toEqual([
    '800000000000037800000780',
    packet('40000000', '00000000', UPRIGHT),
    packet('20000001', '00000002', '0000000165aabb'),
    packet('00000001', '00000003', '0000000141cc'),
    '800000000000010e00000258',
    packet('40000000', '00000000', OTHER),
    packet('20000001', '00000004', '0000000165dd'),
  ]);
});

test('rejects a timestamp that would overlap the flags of the wire format', () => {
  const push = (hex: string) => new VideoReader(() => {}).push(Buffer.from(hex, 'hex'));
  expect(() => push(`683236340000000800000008${packet('20000000', '00000000', '41')}`)).toThrow(
    'invalid timestamp',
  );
});

test('rejects another codec and oversized packets', () => {
  const push = (hex: string) => new VideoReader(() => {}).push(Buffer.from(hex, 'hex'));
  expect(() => push('683236350000000100000001')).toThrow('an unexpected codec');
  expect(() => push('683236340000000000000008')).toThrow('video of 0x8');
  expect(() => push(`683236340000000800000008${'00000000'}${'00000000'}ffffffff`)).toThrow('bytes');
  expect(() => push(`683236340000000800000008${'80000000'}${'00000000'}00010001`)).toThrow('65537 bytes');
});
