import { parseScrcpyControl } from '../../../src/contract/sockets/scrcpy-control.ts';
import { ControlReader } from '../../fixtures/phone-double/scrcpy-control-reader.ts';
import { type Target, unlessRefused } from '../engine/target.ts';
import { SCRCPY_MESSAGES } from '../kit/control-samples.ts';

/** Parses a client's scrcpy control message, which is forwarded to the phone unchanged. */
export const target: Target = {
  seeds: () => SCRCPY_MESSAGES,
  run: (input) => {
    if (!unlessRefused([RangeError], () => parseScrcpyControl(input))) return;
    // If the phone parsed a different message than was validated, it would be out of sync from there on.
    const read = [...new ControlReader().push(Buffer.concat([input, RESET_VIDEO]))];
    if (read.length !== 2 || read[1]!.type !== 'reset-video')
      throw new Error(`a phone parses it as ${read.map(({ type }) => type)}`);
  },
};

const RESET_VIDEO = Buffer.of(17);
