import { beforeEach, expect, test } from 'vitest';
import { TouchLatency } from './touch-latency.ts';

let latency: TouchLatency;
beforeEach(() => {
  latency = new TouchLatency();
});

test('is the time from a touch of a still screen to the picture after it', () => {
  latency.touched('down', 1_000);
  latency.drawn(1_042);
  expect(latency.read()).toEqual({ last: 42, median: 42, samples: 1 });
});

test('is not taken of a screen in motion, nor of a touch that nothing answers', () => {
  latency.drawn(900);
  latency.touched('down', 1_000);
  latency.drawn(1_010);
  expect(latency.read().samples).toBe(0);
  latency.touched('down', 2_000);
  latency.drawn(3_500);
  expect(latency.read()).toEqual({ last: null, median: null, samples: 0 });
});

test('is the release’s where the press changed nothing, unless they were too close to tell', () => {
  latency.touched('down', 1_000);
  latency.touched('up', 1_150);
  latency.drawn(1_180);
  expect(latency.read().last).toBe(30);
  latency.touched('down', 2_000);
  latency.touched('up', 2_050);
  latency.drawn(2_080);
  expect(latency.read().samples).toBe(1);
});

test('says what half of the last touches took', () => {
  for (const [at, took] of [50, 10, 30, 20, 40].entries()) {
    latency.touched('down', at * 1_000 + 1_000);
    latency.drawn(at * 1_000 + 1_000 + took);
  }
  expect(latency.read()).toEqual({ last: 40, median: 30, samples: 5 });
});
