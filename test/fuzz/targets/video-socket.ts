import { decodePacket, encodePacket } from '../../../src/contract/sockets/stream-packets.ts';
import { VideoReader } from '../../../src/drivers/android/scrcpy/video-reader.ts';
import { H264Encoder } from '../../../src/drivers/simulated/h264/encoder.ts';
import type { Target } from '../engine/target.ts';
import { readInChunks } from '../kit/cut.ts';

const MAX_SIDE = 0xffff;
/** SPS and PPS of two real phones. */
const CONFIGS = [
  '0000000167640028acd940e00f1e5f011000000300100000030320f18319600000000168ebe3cb22c0',
  '00000001674d4015eca08826f52e0220000003002000000641e2c5b2c00000000168ebe3cb20',
].map((hex) => Buffer.from(hex, 'hex'));

const words = (...values: number[]) => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, at * 4);
  return bytes;
};
const packet = (high: number, data: Uint8Array) => Buffer.concat([words(high, 3, data.length), data]);
const stream = (config: Uint8Array) =>
  Buffer.concat([
    words(0x68323634, 888, 1920),
    packet(0x8000_0000, config),
    packet(0x4000_0000, Buffer.from('0000000165aabb', 'hex')),
    packet(1, Buffer.from('0000000141cc', 'hex')),
  ]);

/** Parses what a phone sends on scrcpy's video socket. */
export const target: Target = {
  seeds: () => [...CONFIGS, new H264Encoder({ width: 540, height: 1170 }).config].map(stream),
  run: (input) => {
    const { read } = readInChunks(input, [RangeError], () => {
      const packets: Uint8Array[] = [];
      const reader = new VideoReader((it) => packets.push(it));
      return function* (piece) {
        try {
          reader.push(piece);
        } finally {
          yield* packets.splice(0);
        }
      };
    });
    for (const one of read) check(one);
  },
};

/** Checks that a packet is valid and encoded as a viewer expects it. */
function check(encoded: Uint8Array): void {
  const one = decodePacket(encoded);
  if (one.type === 'session' && ![one.width, one.height].every((side) => side >= 1 && side <= MAX_SIDE)) {
    throw new Error(`invalid video size ${one.width}x${one.height}`);
  }
  const again = encodePacket(one);
  if (Buffer.compare(again, encoded) !== 0)
    throw new Error(
      `${Buffer.from(encoded).toString('hex')} was encoded again as ${Buffer.from(again).toString('hex')}`,
    );
}
