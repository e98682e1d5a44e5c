import type { MediaPacket } from '../../../contract/stream-packets.ts';

/** A late viewer gets a whole group of pictures at once; more than this waiting means that the decoder cannot follow. */
const MOST_PACKETS = 600;
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * Packets that wait for the decoder. A keyframe makes the pictures before it pointless, so it takes their place: what is
 * seen is never older than one group of pictures. A config packet stays: the keyframe behind it cannot do without.
 */
export class PacketQueue {
  /** Times that a keyframe took the place of pictures. */
  droppedGroups = 0;
  #packets: MediaPacket[] = [];
  #bytes = 0;

  get length(): number {
    return this.#packets.length;
  }

  /** False when the queue is full; the packet is not taken then, and what follows it is of no use either. */
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
