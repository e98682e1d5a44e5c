import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AdbDaemon, MAX_STREAMS } from '../../../src/agent/adb/adb-daemon.ts';
import {
  AdbMessageReader,
  AdbProtocolError,
  CLSE,
  CNXN,
  encodeMessage,
  OKAY,
  OPEN,
  VERSION,
  WRTE,
} from '../../../src/agent/adb/adb-message.ts';
import { DriverError } from '../../../src/drivers/driver.ts';
import { type Target, unlessRefused } from '../engine/target.ts';
import { joined, split } from '../kit/framing.ts';

const COMMANDS = [CNXN, OPEN, OKAY, WRTE, CLSE];
const REFUSED_SERVICE = 'x';
/** The kind of step in which the phone opens a connection through a reverse tunnel. */
const CALL_BACK = COMMANDS.length;

const message = (command: number, arg0: number, arg1: number, payload = '') =>
  Buffer.from([COMMANDS.indexOf(command), arg0, arg1, ...Buffer.from(payload)]);
const hello = message(CNXN, 0, 0, 'host::');

/**
 * Parses messages that an adb server sends to the daemon at the other end of a tunnel, and runs the resulting
 * streams.
 */
export const target: Target = {
  seeds: () => [
    joined([hello, message(OPEN, 1, 0, 'shell:ls\0'), message(WRTE, 1, 1, 'hi'), message(CLSE, 1, 1)]),
    joined([hello, message(OPEN, 1, 0, 'x\0'), message(OPEN, 2, 0, 'tcp:1\0'), message(OKAY, 2, 2)]),
    joined([
      hello,
      Buffer.of(CALL_BACK),
      message(OKAY, 9, 1),
      message(WRTE, 9, 1, 'a'),
      message(WRTE, 9, 1, 'b'),
    ]),
    joined([message(OPEN, 1, 0, 'shell:\0')]),
  ],
  run: async (input) => {
    const sent = new AdbMessageReader();
    let callBack = () => {};
    const daemon = new AdbDaemon({
      phone: {
        banner: 'device::',
        open: async (service) => {
          if (service.startsWith(REFUSED_SERVICE)) throw new DriverError('failed', 'closed');
          return new PassThrough();
        },
        onConnection: (listener) => {
          callBack = () => listener('tcp:1', new PassThrough());
        },
        [Symbol.asyncDispose]: async () => {},
      },
      // The daemon's output is parsed as well: a malformed message is an error of the daemon.
      send: (bytes) => void [...sent.push(bytes)],
    });
    for (const [kind = 0, arg0 = 0, arg1 = 0, ...rest] of split(input)) {
      if (kind === CALL_BACK) callBack();
      else {
        const payload = Buffer.from(rest);
        const bytes =
          kind === 0
            ? encodeMessage({ command: CNXN, arg0: VERSION, arg1: 4096, payload }, VERSION)
            : encodeMessage({ command: COMMANDS[kind] ?? kind, arg0, arg1, payload }, VERSION);
        if (unlessRefused([AdbProtocolError], () => daemon.take(bytes) ?? true) === null) break;
      }
      await nextTurn();
      if (daemon.streams > MAX_STREAMS) throw new Error(`too many streams: ${daemon.streams}`);
    }
    daemon.close();
    if (daemon.streams > 0) throw new Error(`${daemon.streams} streams remain after the close`);
  },
};
