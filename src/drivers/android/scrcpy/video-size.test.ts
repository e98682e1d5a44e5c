import { describe, expect, test } from 'vitest';
import { H264Encoder } from '../../simulated/h264/encoder.ts';
import { videoSize } from './video-size.ts';

const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));

describe('video size in a config packet', () => {
  // Made with libx264: `ffmpeg -f lavfi -i color=black:s=1080x2400 -profile:v baseline`, and so on.
  test.each([
    ['000000016742c032d90044012de5f011000003000100000300320f1832480000000168cb83cb20', 1080, 2400],
    ['0000000167640028acd940e00f1e5f011000000300100000030320f18319600000000168ebe3cb22c0', 888, 1920],
    ['0000000167640028acd9404403c796b011000003000100000300320f1831960000000168ebe3cb22c0', 1080, 1918],
    ['00000001674d4015eca08826f52e0220000003002000000641e2c5b2c00000000168ebe3cb20', 270, 600],
  ])('%s is %i × %i', (config, width, height) => {
    expect(videoSize(bytes(config))).toEqual({ width, height });
  });

  test.each([
    [368, 800],
    [540, 1170],
    [2560, 1440],
  ])("of the simulated phone's encoder is %i × %i", (width, height) => {
    expect(videoSize(new H264Encoder({ width, height }).config)).toEqual({ width, height });
  });

  test('rejects a packet without an SPS or with a truncated one', () => {
    expect(() => videoSize(bytes('0000000168ce3c80'))).toThrow('does not contain an SPS');
    expect(() => videoSize(bytes('000000016742'))).toThrow('truncated');
  });

  test.each([
    ['larger than any supported screen', '000000016742c01fda0004e20564', '80000x160'],
    ['cropped to a negative size', '000000016742c01fda25c2bd', '-8x32'],
    ['cropped to size zero', '000000016742c01fda25c489d0', '0x32'],
  ])('rejects sizes that are %s', (_, config, size) => {
    expect(() => videoSize(bytes(config))).toThrow(`video of ${size}`);
  });
});
