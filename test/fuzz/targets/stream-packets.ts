import { isDeepStrictEqual } from 'node:util';
import {
  decodePacket,
  encodePacket,
  PACKET_HEADER_BYTES,
  toLayoutV3,
} from '../../../src/contract/sockets/stream-packets.ts';
import { GopCache } from '../../../src/media/gop-cache.ts';
import { type Target, unlessRefused } from '../engine/target.ts';
import { joined, split } from '../kit/framing.ts';

const MAX_KEPT = 8;
const MAX_KEPT_BYTES = 1_000;

/** Parses the messages of a stream, which a service sends to clients and a host sends to a gateway. */
export const target: Target = {
  seeds: () => [
    joined([
      encodePacket({ type: 'session', width: 540, height: 1170 }),
      encodePacket({ type: 'config', pts: 0, data: Buffer.from('0000000167', 'hex') }),
      encodePacket({ type: 'keyframe', pts: 5_000_000_000, data: Buffer.from('0000000165', 'hex') }),
      encodePacket({ type: 'delta', pts: 5_000_016_667, data: Buffer.from('0000000141', 'hex') }),
    ]),
  ],
  run: (input) => {
    const cache = new GopCache({ maxBytes: MAX_KEPT_BYTES, maxPackets: MAX_KEPT });
    for (const message of split(input)) {
      unlessRefused([RangeError], () => cache.push(message));
      const packet = unlessRefused([RangeError], () => decodePacket(new Uint8Array(message)));
      if (!packet) continue;
      if (!isDeepStrictEqual(decodePacket(encodePacket(packet)), packet))
        throw new Error('the packet does not round-trip');
      const data = (bytes: Uint8Array) => Buffer.from(bytes.subarray(PACKET_HEADER_BYTES));
      const older = toLayoutV3(message);
      if (older && !data(older).equals(data(message)))
        throw new Error('the older layout contains different data');
    }
    const kept = cache.replay();
    // The limit does not include the session packet, which contains the size.
    if (Buffer.concat(kept).length > MAX_KEPT_BYTES + PACKET_HEADER_BYTES || kept.length > MAX_KEPT)
      throw new Error(`too many packets kept: ${kept.length}`);
  },
};
