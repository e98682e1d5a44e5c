import {
  AdbMessageReader,
  AdbProtocolError,
  CNXN,
  encodeMessage,
  MIN_VERSION,
  OKAY,
  OPEN,
  VERSION,
  WRTE,
} from '../../../src/agent/adb/adb-message.ts';
import type { Target } from '../engine/target.ts';
import { readInChunks } from '../kit/cut.ts';

const text = (words: string) => Buffer.from(words);

/** Parses messages that an adb server sends to a phone's daemon through a tunnel. */
export const target: Target = {
  seeds: () =>
    [VERSION, MIN_VERSION].map((version) =>
      Buffer.concat(
        [
          { command: CNXN, arg0: version, arg1: 4096, payload: text('host::features=shell_v2\0') },
          { command: OPEN, arg0: 1, arg1: 0, payload: text('shell,v2,raw:ls\0') },
          { command: OKAY, arg0: 1, arg1: 2, payload: text('') },
          { command: WRTE, arg0: 1, arg1: 2, payload: text('hello') },
        ].map((message) => encodeMessage(message, version)),
      ),
    ),
  run: (input) => {
    for (const version of [VERSION, MIN_VERSION]) {
      const { read } = readInChunks(input, [AdbProtocolError], () => {
        const reader = new AdbMessageReader();
        reader.version = version;
        return (piece) => reader.push(piece);
      });
      const reader = new AdbMessageReader();
      reader.version = version;
      const again = read.flatMap((message) => [...reader.push(encodeMessage(message, version))]);
      if (again.length !== read.length)
        throw new Error(`only ${again.length} of ${read.length} messages round-trip`);
    }
  },
};
