import { encodePacket, PACKET_HEADER_BYTES } from '../../src/contract/sockets/stream-packets.ts';
import { allocatePacket } from '../../src/media/viewer-message.ts';

export interface SourceOptions {
  packetBytes: number;
  perSecond: number;
}

/**
 * Offset in a packet of the time at which it was sent: a float64 of microseconds. The data begins with 8 other bytes,
 * so that it can be a NAL unit with a start code.
 */
export const STAMP_OFFSET = PACKET_HEADER_BYTES + 8;

/** Microseconds on the clock that all processes of a machine share: CLOCK_MONOTONIC on Linux and macOS. */
export const micros = (): number => Number(process.hrtime.bigint()) / 1000;

const PACKETS_PER_GROUP = 60;

/** A phone's screen: packets of fixed size at a constant rate, each carrying the time at which it was sent. */
export class PacketSource {
  private readonly send: (packet: Uint8Array) => void;
  private timer: NodeJS.Timeout | undefined;
  private sinceKeyframe = 0;

  constructor(send: (packet: Uint8Array) => void) {
    this.send = send;
  }

  /** Sends the start of a stream. The first packet after it is a keyframe. */
  begin(): void {
    this.send(encodePacket({ type: 'session', width: 1080, height: 2400 }));
    this.send(encodePacket({ type: 'config', pts: 0, data: Uint8Array.of(0, 0, 0, 1, 0x67) }));
    this.requestKeyframe();
  }

  requestKeyframe(): void {
    this.sinceKeyframe = PACKETS_PER_GROUP;
  }

  start({ packetBytes, perSecond }: SourceOptions): void {
    this.stop();
    const data = new Uint8Array(packetBytes - PACKET_HEADER_BYTES).fill(0x55);
    this.timer = setInterval(() => this.sendOne(data), 1000 / perSecond);
  }

  stop(): void {
    clearInterval(this.timer);
  }

  private sendOne(data: Uint8Array): void {
    const isKeyframe = this.sinceKeyframe >= PACKETS_PER_GROUP;
    this.sinceKeyframe = isKeyframe ? 1 : this.sinceKeyframe + 1;
    const packet = encodePacket({ type: isKeyframe ? 'keyframe' : 'delta', pts: 0, data }, allocatePacket);
    new DataView(packet.buffer, packet.byteOffset).setFloat64(STAMP_OFFSET, micros());
    this.send(packet);
  }
}
