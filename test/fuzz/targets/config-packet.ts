import { avcCodecString } from '../../../src/contract/sockets/h264-config.ts';
import { videoSize } from '../../../src/drivers/android/scrcpy/video-size.ts';
import { H264Encoder } from '../../../src/drivers/simulated/h264/encoder.ts';
import { nalUnitRanges } from '../../../src/media/h264.ts';
import { avcConfiguration, writeAvcSample } from '../../../src/media/mp4/avc.ts';
import { type Target, unlessRefused } from '../engine/target.ts';

const MAX_SIDE = 0xffff;

/**
 * Parses the SPS and PPS of a phone's encoder, from which the size of the video and the codec string of a recording
 * are derived, and converts it to the format of MP4.
 */
export const target: Target = {
  seeds: () =>
    [
      '0000000167640028acd940e00f1e5f011000000300100000030320f18319600000000168ebe3cb22c0',
      '00000001674d4015eca08826f52e0220000003002000000641e2c5b2c00000000168ebe3cb20',
      Buffer.from(new H264Encoder({ width: 540, height: 1170 }).config).toString('hex'),
    ].map((hex) => Buffer.from(hex, 'hex')),
  run: (input) => {
    const size = unlessRefused([RangeError], () => videoSize(input));
    if (size && ![size.width, size.height].every((side) => side >= 1 && side <= MAX_SIDE)) {
      throw new Error(`invalid video size ${size.width}x${size.height}`);
    }
    const codec = unlessRefused([RangeError], () => avcCodecString(input));
    unlessRefused([RangeError], () => avcConfiguration(input));
    checkSample(Buffer.from(input));
    if (codec !== null && !/^avc1\.[0-9a-f]{6}$/.test(codec)) throw new Error(`invalid codec ${codec}`);
  },
};

/** A frame in the format of MP4 has the size that is returned. */
function checkSample(bytes: Buffer): void {
  let written = 0;
  const copy = (_name: string, _source: Buffer, from: number, to: number) => {
    written += to - from;
  };
  const append = (_name: string, part: Uint8Array) => {
    written += part.length;
  };
  const size = writeAvcSample({ copy, append }, 'file', bytes, nalUnitRanges(bytes));
  if (size !== written) throw new Error(`${written} bytes were written instead of ${size}`);
}
