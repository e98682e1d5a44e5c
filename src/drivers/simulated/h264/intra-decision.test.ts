import { expect, test } from 'vitest';
import { IntraDecision } from './intra-decision.ts';
import { MacroblockSamples } from './macroblock-samples.ts';
import { Picture } from './picture.ts';

/** Makes two by two macroblocks of the same pattern. Returns the last of them and a decision about it. */
function decide(sampleAt: (x: number, y: number) => number) {
  const picture = new Picture(2, 2);
  for (const { samples, width } of [picture.luma, picture.cb, picture.cr]) {
    for (let i = 0; i < samples.length; i++) samples[i] = sampleAt(i % width, Math.floor(i / width));
  }
  const source = new MacroblockSamples();
  for (let i = 0; i < 256; i++) source.luma[i] = sampleAt(16 + (i % 16), 16 + (i >> 4));
  for (let i = 0; i < 64; i++) source.cb[i] = source.cr[i] = sampleAt(8 + (i % 8), 8 + (i >> 3));
  const decision = new IntraDecision();
  const prediction = new MacroblockSamples();
  decision.predictLuma(source.luma, prediction.luma, picture.luma, 1, 1);
  decision.predictChroma(source, prediction, picture, 1, 1);
  return { decision, prediction, source };
}

test.each([
  ['flat', () => 70, 2, 0],
  ['columns', (x: number) => (x * 37) & 255, 0, 2],
  ['rows', (_x: number, y: number) => (y * 37) & 255, 1, 1],
])('%s', (_name, sampleAt, lumaMode, chromaMode) => {
  const { decision, prediction, source } = decide(sampleAt);
  expect(decision).toMatchObject({ lumaMode, chromaMode, lumaCost: 0 });
  expect(prediction).toEqual(source);
});

test('selects the luma plane mode for a gradient', () => {
  const { decision } = decide((x, y) => 60 + x * 2 + y * 3);
  expect(decision.lumaMode).toBe(3);
  expect(decision.lumaCost).toBeLessThanOrEqual(256);
});
