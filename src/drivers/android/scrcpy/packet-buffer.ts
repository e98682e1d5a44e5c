import type { StreamPacket } from '../../../contract/sockets/stream-packets.ts';

/** Ten seconds of frames; a listener is set sooner than that. */
const MAX_BUFFERED = 300;

/**
 * Buffers what a listener must begin with, until one is set: the size, the config packet, and everything from the
 * last keyframe on.
 */
export class PacketBuffer {
  #listener: ((packet: StreamPacket) => void) | null = null;
  #session: StreamPacket | null = null;
  #config: StreamPacket | null = null;
  #gop: StreamPacket[] = [];
  #whole = true;

  push(packet: StreamPacket): void {
    if (this.#listener) this.#listener(packet);
    else if (packet.type === 'session') this.#session = packet;
    else if (packet.type === 'config') this.#config = packet;
    else if (packet.type === 'keyframe') {
      this.#gop = [packet];
      this.#whole = true;
    } else if (this.#gop.length < MAX_BUFFERED) this.#gop.push(packet);
    else this.#whole = false;
  }

  /**
   * Passes the buffered packets to the listener, and then each new packet. Returns false if frames are missing up
   * to the next keyframe.
   */
  release(listener: (packet: StreamPacket) => void): boolean {
    this.#listener = listener;
    for (const packet of [this.#session, this.#config, ...this.#gop]) if (packet) listener(packet);
    this.#gop = [];
    return this.#whole;
  }
}
