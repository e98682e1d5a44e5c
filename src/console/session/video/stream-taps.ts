import type { MediaPacket, SessionPacket, StreamPacket } from '../../../contract/sockets/stream-packets.ts';

/** Receives the stream's packets as they arrive, for recording. The size and the config packet come first. */
export interface StreamTap {
  onPacket(packet: StreamPacket): void;
  /**
   * Called when the connection is lost. The next packets start at a keyframe, which may be older than the last packet
   * before.
   */
  onGap(): void;
}

/** The taps of one player. A tap that is added later first receives the size and the config packet. */
export class StreamTaps {
  readonly #taps = new Set<StreamTap>();
  #size: SessionPacket | null = null;
  #config: MediaPacket | null = null;

  get count(): number {
    return this.#taps.size;
  }

  /** The size that the current connection last announced. */
  get size(): SessionPacket | null {
    return this.#size;
  }

  /** Returns a function that removes the tap. */
  add(tap: StreamTap): () => void {
    this.#taps.add(tap);
    for (const packet of [this.#size, this.#config]) if (packet) tap.onPacket(packet);
    return () => this.#taps.delete(tap);
  }

  /** Called when a new connection is opened. */
  reset(): void {
    this.#size = null;
    this.#config = null;
  }

  push(packet: StreamPacket): void {
    if (packet.type === 'session') this.#size = packet;
    if (packet.type === 'config') this.#config = packet;
    for (const tap of this.#taps) tap.onPacket(packet);
  }

  /** Called when the connection is lost. */
  gap(): void {
    for (const tap of this.#taps) tap.onGap();
  }
}
