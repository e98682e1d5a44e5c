import { beforeEach, expect, test } from 'vitest';
import { TouchLatency } from './touch-latency.ts';

let latency: TouchLatency;
beforeEach(() => {
  latency = new TouchLatency();
});

test('measures the time from a touch of an unchanging screen to the next frame', () => {
  latency.touched('down', 1_000);
  latency.drawn(1_042);
  expect(latency.read()).toEqual({ last: 42, median: 42, samples: 1 });
});

test('ignores touches of a moving screen and touches without a response', () => {
  latency.drawn(900);
  latency.touched('down', 1_000);
  latency.drawn(1_010);
  expect(latency.read().samples).toBe(0);
  latency.touched('down', 2_000);
  latency.drawn(3_500);
  expect(latency.read()).toEqual({ last: null, median: null, samples: 0 });
});

test('attributes the frame to the release if the press changed nothing, unless they are too close together', () => {
  latency.touched('down', 1_000);
  latency.touched('up', 1_150);
  latency.drawn(1_180);
  expect(latency.read().last).toBe(30);
  latency.touched('down', 2_000);
  latency.touched('up', 2_050);
  latency.drawn(2_080);
  expect(latency.read().samples).toBe(1);
});

test('returns the median of the last touches', () => {
  for (const [at, took] of [50, 10, 30, 20, 40].entries()) {
    latency.touched('down', at * 1_000 + 1_000);
    latency.drawn(at * 1_000 + 1_000 + took);
  }
  expect(latency.read()).toEqual({ last: 40, median: 30, samples: 5 });
});
