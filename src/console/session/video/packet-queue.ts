import type { MediaPacket } from '../../../contract/sockets/stream-packets.ts';

/**
 * Limits of the queue. A late viewer receives a whole GOP at once, so only a longer queue means that the decoder
 * cannot keep up.
 */
const MOST_PACKETS = 600;
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * Packets that wait for the decoder. A keyframe makes the frames before it unnecessary and replaces them, so the
 * displayed frame is never older than one GOP. Config packets stay, because the keyframe that follows depends on
 * them.
 */
export class PacketQueue {
  /** Number of times that a keyframe replaced waiting frames. */
  droppedGroups = 0;
  #packets: MediaPacket[] = [];
  #bytes = 0;

  get length(): number {
    return this.#packets.length;
  }

  /** Returns false if the queue is full. The packet is dropped then, and the packets after it cannot be decoded. */
  push(packet: MediaPacket): boolean {
    if (packet.type === 'keyframe') {
      const waited = this.#packets.length;
      this.#packets = this.#packets.filter((waiting) => waiting.type === 'config');
      if (this.#packets.length < waited) this.droppedGroups += 1;
      this.#packets = this.#packets.slice(-1);
      this.#bytes = this.#packets.reduce((sum, waiting) => sum + waiting.data.length, 0);
    }
    if (this.#packets.length >= MOST_PACKETS || this.#bytes + packet.data.length > MOST_BYTES) return false;
    this.#packets.push(packet);
    this.#bytes += packet.data.length;
    return true;
  }

  shift(): MediaPacket | undefined {
    const packet = this.#packets.shift();
    if (packet) this.#bytes -= packet.data.length;
    return packet;
  }

  clear(): void {
    this.#packets = [];
    this.#bytes = 0;
  }
}
