/**
 * Measures the milliseconds and bytes per frame of the simulated phone's encoder, by kind of content. Times are also
 * printed as a multiple of a plain copy of the same frame in the same run, which makes them comparable between
 * machines.
 */
import { H264Encoder } from '../src/drivers/simulated/h264/encoder.ts';
import { gradientFrame, noiseFrame, textFrame } from '../src/drivers/simulated/h264/test-support.ts';

const WIDTH = 540;
const HEIGHT = 1170;
const ROUNDS = Number(process.argv[2] ?? 30);

interface Content {
  readonly name: string;
  /** Frames that are encoded in turn, so that each differs from the previous one. */
  readonly frames: readonly Uint8Array[];
  readonly keyframe?: boolean;
}

function text(scroll: number, seed = 0): Uint8Array {
  return textFrame(WIDTH, HEIGHT, { scroll, seed });
}

/** A text frame in which one line has a different word. */
function wordChanged(): Uint8Array {
  const frame = text(0);
  frame.set(text(0, 1).subarray(600 * WIDTH * 4, 616 * WIDTH * 4), 600 * WIDTH * 4);
  return frame;
}

const contents: readonly Content[] = [
  { name: 'static', frames: [text(0)] },
  { name: 'one line changes', frames: [text(0), wordChanged()] },
  { name: 'scroll by 8', frames: [text(0), text(8)] },
  { name: 'scroll by 7', frames: [text(0), text(7)] },
  { name: 'text changes', frames: [text(0), text(0, 1)] },
  { name: 'text keyframe', frames: [text(0)], keyframe: true },
  { name: 'gradient keyframe', frames: [gradientFrame(WIDTH, HEIGHT)], keyframe: true },
  { name: 'noise', frames: [noiseFrame(WIDTH, HEIGHT), noiseFrame(WIDTH, HEIGHT, 1)] },
];

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}

function timed(action: () => void): number {
  const start = performance.now();
  action();
  return performance.now() - start;
}

function measure({ frames, keyframe }: Content): { ms: number; bytes: number } {
  const encoder = new H264Encoder({ width: WIDTH, height: HEIGHT });
  const times: number[] = [];
  let bytes = 0;
  for (let i = 0; i < ROUNDS * 2; i++) {
    times.push(
      timed(() => {
        bytes = encoder.encode(frames[i % frames.length]!, { keyframe })?.data.length ?? 0;
      }),
    );
  }
  // The first half of the rounds warms up the JIT compiler and is not counted.
  return { ms: median(times.slice(ROUNDS)), bytes };
}

const target = new Uint8Array(WIDTH * HEIGHT * 4);
const source = text(0);
const copyMs = median(Array.from({ length: ROUNDS * 2 }, () => timed(() => target.set(source))));
console.log(`${WIDTH}x${HEIGHT}, median of ${ROUNDS}; a copy of a frame takes ${copyMs.toFixed(2)} ms`);
for (const content of contents) {
  const { ms, bytes } = measure(content);
  const columns = [content.name.padEnd(20), `${ms.toFixed(2)} ms`.padStart(12)];
  console.log(...columns, `${(ms / copyMs).toFixed(1)} copies`.padStart(16), `${bytes} bytes`.padStart(16));
}
