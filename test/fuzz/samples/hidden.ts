import type { Target } from '../engine/target.ts';

/** Fails for one of four billion inputs. A fuzzer that observes the coverage of each input finds it step by step. */
export const target: Target = {
  covers: [import.meta.url],
  seeds: () => [Buffer.from('all is well')],
  run: (input) => {
    if (input[0] === 0x66 && input[1] === 0x75 && input[2] === 0x7a && input[3] === 0x21)
      throw new Error('found');
  },
};
