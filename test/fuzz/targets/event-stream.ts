import { EventReader } from '../../../src/client/event-stream.ts';
import type { Target } from '../engine/target.ts';
import { readInChunks } from '../kit/cut.ts';

/** Parses a service's event stream, as a client does. */
export const target: Target = {
  seeds: () => [
    Buffer.from('id: 7\nevent: device\ndata: {"id":"phone-1"}\n\n: still there\n\n'),
    Buffer.from('id:\r\ndata: zwei\r\ndata\r\ndata: Wörter 📱\r\n\r\nevent: end\n\n'),
  ],
  run: (input) => {
    readInChunks(input, [RangeError], () => {
      const reader = new EventReader();
      return (piece) => reader.read(piece);
    });
  },
};
