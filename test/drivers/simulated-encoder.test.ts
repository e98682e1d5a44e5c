import { expect, test } from 'vitest';
import { H264Encoder } from '../../src/drivers/simulated/h264/encoder.ts';
import { decodeWithFfmpeg } from '../../src/drivers/simulated/h264/test-ffmpeg.ts';
import { psnr } from '../../src/drivers/simulated/h264/test-psnr.ts';
import {
  checkerFrame,
  flatFrame,
  noiseFrame,
  type ScreenSequence,
  screenSequences,
  textFrame,
} from '../../src/drivers/simulated/h264/test-support.ts';
import { randomFrom } from '../fixtures/random.ts';
import { FuzzedScreen } from '../fuzz/kit/encoder-screens.ts';
import { isNightly } from '../nightly.ts';

/** Lowest accepted PSNR in dB, at the default QP. Noise reaches 37.5, text 39 and more. */
const PSNR_FLOOR = 37;

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Encodes a sequence and asserts that ffmpeg decodes exactly the frames that the encoder reconstructed. */
function roundTrip(
  { width, height }: Size,
  { frames, keyframes }: Omit<ScreenSequence, 'name'>,
  qp?: number,
) {
  const encoder = new H264Encoder({ width, height, qp });
  const units = [encoder.config];
  const reconstructions = frames.map((rgba, i) => {
    const frame = encoder.encode(rgba, { keyframe: keyframes.includes(i) });
    expect(frame?.keyframe).toBe(i === 0 || keyframes.includes(i));
    if (frame) units.push(frame.data);
    return encoder.reconstruction();
  });
  const decoded = decodeWithFfmpeg(Buffer.concat(units));
  expect(decoded.length, 'bytes decoded').toBe(frames.length * width * height * 1.5);
  reconstructions.forEach((reconstruction, i) => {
    const output = decoded.subarray(i * reconstruction.length, (i + 1) * reconstruction.length);
    expect(Buffer.compare(reconstruction, output), `frame ${i} as ffmpeg decodes it`).toBe(0);
  });
  return { reconstructions, sizes: units.slice(1).map((unit) => unit.length) };
}

const phone = { width: 180, height: 390 };

test.each(screenSequences(phone.width, phone.height))(
  '$name: decodes without drift and with sufficient quality',
  (sequence) => {
    const { reconstructions } = roundTrip(phone, sequence);
    for (const [i, rgba] of sequence.frames.entries()) {
      const { luma, chroma } = psnr(rgba, reconstructions[i]!, phone.width, phone.height);
      expect(luma).toBeGreaterThan(PSNR_FLOOR);
      expect(chroma).toBeGreaterThan(PSNR_FLOOR);
    }
  },
);

test.each(isNightly ? [1, 2, 3, 4, 5, 6, 7, 8] : [1, 2])(
  'a random screen: decodes without drift (%i)',
  (seed) => {
    const random = randomFrom(seed);
    const screen = new FuzzedScreen(Buffer.from(Array.from({ length: 600 }, () => random() * 256)));
    const frames: Uint8Array[] = [];
    const keyframes: number[] = [];
    while (!screen.isOver) {
      if (screen.byte() % 8 === 1) keyframes.push(frames.length);
      screen.change();
      // Skips a frame that equals the previous one.
      if (frames.length === 0 || Buffer.compare(screen.rgba, frames.at(-1)!) !== 0)
        frames.push(screen.rgba.slice());
    }
    roundTrip(screen, { frames, keyframes }, Math.floor(random() * 52));
  },
);

/**
 * Concatenates all sequences into one stream. Each starts with a keyframe, and a frame that equals the previous one
 * is skipped.
 */
function everySequence({ width, height }: Size): Omit<ScreenSequence, 'name'> {
  const frames: Uint8Array[] = [];
  const keyframes: number[] = [];
  for (const sequence of screenSequences(width, height)) {
    keyframes.push(frames.length);
    for (const [i, frame] of sequence.frames.entries()) {
      if (i === 0 || Buffer.compare(frame, sequence.frames[i - 1]!) !== 0) frames.push(frame);
    }
  }
  return { frames, keyframes };
}

test.each([
  { width: 2, height: 2 },
  { width: 16, height: 16 },
  { width: 18, height: 34 },
  { width: 2, height: 200 },
  { width: 200, height: 2 },
])('$width x $height', (size) => {
  roundTrip(size, everySequence(size));
});

test('1440 x 3200', () => {
  const size = { width: 1440, height: 3200 };
  const flat = flatFrame(size.width, size.height);
  // Encoding noise takes several seconds per frame of this size, so `npm test` has it in the last rows only.
  const noise = flat.slice();
  const rows = isNightly ? size.height : 64;
  noise.set(noiseFrame(size.width, rows), (size.height - rows) * size.width * 4);
  roundTrip(size, { frames: [flat, noise], keyframes: [] });
});

/** The ends of the range, and both sides of the steps at which the quantiser and the colour's table change. */
const QPS = isNightly ? [0, 1, 5, 6, 11, 12, 18, 29, 30, 36, 45, 51] : [0, 5, 6, 29, 30, 51];

test.each(QPS)('qp %i', (qp) => {
  const size = { width: 82, height: 66 };
  roundTrip(size, everySequence(size), qp);
});

test('frame_num wraps around', () => {
  const frames = Array.from({ length: 300 }, (_, seed) => textFrame(32, 32, { seed }));
  roundTrip({ width: 32, height: 32 }, { frames, keyframes: [290] });
});

test('no macroblock takes more bits than raw samples', () => {
  const size = { width: 160, height: 160 };
  for (const frame of [noiseFrame(160, 160), checkerFrame(160, 160)]) {
    const { sizes } = roundTrip(size, { frames: [flatFrame(160, 160), frame], keyframes: [] }, 0);
    expect(sizes[1]).toBeLessThan(100 * 390 * 1.01);
  }
});

test('an unchanged screen produces no frame unless a keyframe is requested', () => {
  const encoder = new H264Encoder({ width: 64, height: 64 });
  const text = textFrame(64, 64);
  expect(encoder.encode(text)?.keyframe).toBe(true);
  expect(encoder.encode(text)).toBeNull();
  expect(encoder.encode(text.slice())).toBeNull();
  expect(encoder.encode(text, { keyframe: true })?.keyframe).toBe(true);
  expect(encoder.encode(text)).toBeNull();
});

test('a scroll is cheap for even and odd distances', () => {
  const size = { width: 96, height: 192 };
  for (const distance of isNightly ? [2, 7, 40, -2, -7] : [40, -7]) {
    const frames = [50, 50 + distance].map((scroll) => textFrame(96, 192, { scroll }));
    const [keyframe, scrolled] = roundTrip(size, { frames, keyframes: [] }).sizes;
    expect(scrolled, `scroll by ${distance}`).toBeLessThan(keyframe! / 3);
  }
});

test('accepts a frame that is not aligned to words', () => {
  const text = textFrame(32, 32);
  const shifted = Buffer.alloc(text.length + 1).subarray(1);
  shifted.set(text);
  const expected = new H264Encoder({ width: 32, height: 32 }).encode(text);
  expect(new H264Encoder({ width: 32, height: 32 }).encode(shifted)).toEqual(expected);
});

test('does not overwrite the data of a frame when it encodes the next one', () => {
  const encoder = new H264Encoder({ width: 64, height: 64 });
  const first = encoder.encode(textFrame(64, 64));
  const copy = first?.data.slice();
  encoder.encode(noiseFrame(64, 64), { keyframe: true });
  expect(first?.data).toEqual(copy);
});

test.each([
  ['width', { width: 33, height: 32 }],
  ['width', { width: 0, height: 32 }],
  ['height', { width: 32, height: 32.5 }],
  ['height', { width: 32, height: -2 }],
  ['qp', { width: 32, height: 32, qp: 52 }],
  ['qp', { width: 32, height: 32, qp: -1 }],
  ['width, height', { width: 20_000, height: 20_000 }],
])('names %s in the error for %o', (field, options) => {
  expect(() => new H264Encoder(options)).toThrow(RangeError);
  expect(() => new H264Encoder(options)).toThrow(new RegExp(`^${field}: `));
});

test('rejects a frame of another size', () => {
  const encoder = new H264Encoder({ width: 32, height: 32 });
  expect(() => encoder.encode(new Uint8Array(32 * 31 * 4))).toThrow(/^rgba: expected 4096 bytes/);
});
