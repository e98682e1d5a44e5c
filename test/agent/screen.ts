import type { StreamPacket } from '../../src/contract/sockets/stream-packets.ts';
import { H264Encoder } from '../../src/drivers/simulated/h264/encoder.ts';
import { textFrame } from '../../src/drivers/simulated/h264/test-support.ts';

/** The clock of a phone does not start with its stream. */
const FIRST_PTS = 1_000_000;

/** A screen with small pictures, as a phone encodes it. */
export class Screen {
  readonly packets: StreamPacket[] = [];
  private encoder!: H264Encoder;
  /** Time of the newest frame since the first one, in milliseconds. */
  shownMs = 0;
  private frame = 0;
  private readonly send: (packet: StreamPacket) => void;
  private width = 0;
  private height = 0;

  constructor(send: (packet: StreamPacket) => void, size = { width: 64, height: 128 }) {
    this.send = send;
    this.turn(size);
  }

  /** Starts the stream with this size. */
  turn({ width, height }: { width: number; height: number }): void {
    this.width = width;
    this.height = height;
    this.encoder = new H264Encoder({ width, height });
    this.emit({ type: 'session', width, height });
    this.emit({ type: 'config', pts: 0, data: this.encoder.config });
  }

  /** Sends frames, each this long after the one before it. The first frame of all is at 0. */
  show(frames: number, intervalMs = 20): void {
    for (let i = 0; i < frames; i += 1) {
      if (this.frame > 0) this.shownMs += intervalMs;
      this.frame += 1;
      const { data, keyframe } = this.encoder.encode(
        textFrame(this.width, this.height, { seed: this.frame }),
      )!;
      this.emit({
        type: keyframe ? 'keyframe' : 'delta',
        pts: FIRST_PTS + Math.round(this.shownMs * 1000),
        data,
      });
    }
  }

  private emit(packet: StreamPacket): void {
    this.packets.push(packet);
    this.send(packet);
  }
}
