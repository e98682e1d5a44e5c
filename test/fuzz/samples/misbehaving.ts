import type { Target } from '../engine/target.ts';

const cpuMs = () => process.threadCpuUsage().user / 1_000;
const hoard: number[][] = [];

/** Misbehaves in the way that the input names. A campaign must detect each of them. */
export const target: Target = {
  maxMs: 200,
  seeds: () => [],
  run: (input) => {
    const word = input.toString();
    if (word === 'later')
      queueMicrotask(() => {
        throw new Error('unhandled rejection');
      });
    const end = cpuMs() + 400;
    while (word === 'slow' && cpuMs() < end);
    while (word === 'endless');
    while (word === 'hoard') hoard.push(Array(100_000).fill(0.5));
  },
};
