import { packetType } from '../../../contract/sockets/stream-packets.ts';

/** Ten seconds of frames; a listener is set sooner than that. */
const MAX_BUFFERED = 300;

/**
 * Buffers what a listener must begin with, until one is set: the size, the config packet, and everything from the
 * last keyframe on.
 */
export class PacketBuffer {
  #listener: ((packet: Uint8Array) => void) | null = null;
  #session: Uint8Array | null = null;
  #config: Uint8Array | null = null;
  #gop: Uint8Array[] = [];
  #whole = true;

  push(packet: Uint8Array): void {
    if (this.#listener) {
      this.#listener(packet);
      return;
    }
    const type = packetType(packet);
    if (type === 'session') this.#session = packet;
    else if (type === 'config') this.#config = packet;
    else if (type === 'keyframe') {
      this.#gop = [packet];
      this.#whole = true;
    } else if (this.#gop.length < MAX_BUFFERED) this.#gop.push(packet);
    else this.#whole = false;
  }

  /**
   * Passes the buffered packets to the listener, and then each new packet. Returns false if frames are missing up
   * to the next keyframe.
   */
  release(listener: (packet: Uint8Array) => void): boolean {
    this.#listener = listener;
    for (const packet of [this.#session, this.#config, ...this.#gop]) if (packet) listener(packet);
    this.#gop = [];
    return this.#whole;
  }
}
