import { DeviceMessageReader } from '../../../src/drivers/android/scrcpy/device-messages.ts';
import type { Target } from '../engine/target.ts';
import { readInChunks } from '../kit/cut.ts';

/** Parses messages that a phone sends on scrcpy's control socket. */
export const target: Target = {
  seeds: () => [Buffer.from('0000000003c3a9690100000000000000070200010002abcd', 'hex')],
  run: (input) => {
    readInChunks(input, [RangeError], () => {
      const reader = new DeviceMessageReader();
      return (piece) => reader.push(piece);
    });
  },
};
