import type { Link } from '../link/link.ts';
import { LinkProtocolError, parseStreamRequest } from '../link/messages.ts';
import { GopCache } from '../media/gop-cache.ts';
import { PacketQueue } from '../media/packet-queue.ts';

/** Maximum number of gateways that may watch one session at once. Each gateway serves any number of viewers. */
const MAX_LINKS = 16;

/**
 * Distributes one session's screen to every gateway that watches it. Each link has its own bounded queue, so a
 * stalled gateway drops only its own frames.
 */
export class StreamFanout {
  private readonly cache = new GopCache();
  private readonly queues = new Map<Link, PacketQueue>();
  private readonly requestKeyframe: () => void;
  private readonly onEmpty: () => void;

  constructor(options: { requestKeyframe: () => void; onEmpty: () => void }) {
    this.requestKeyframe = options.requestKeyframe;
    this.onEmpty = options.onEmpty;
  }

  get linkCount(): number {
    return this.queues.size;
  }

  get videoSize(): { width: number; height: number } | null {
    return this.cache.size;
  }

  /**
   * True once the size, the config packet and a keyframe have arrived, the minimum that a decoder needs.
   */
  get hasKeyframe(): boolean {
    return !this.cache.needsKeyframe;
  }

  push(packet: Uint8Array): void {
    this.cache.push(packet);
    for (const queue of this.queues.values()) queue.push(packet);
  }

  attach(link: Link): void {
    if (this.queues.size >= MAX_LINKS) {
      link.close();
      return;
    }
    const queue = new PacketQueue(link, this.requestKeyframe);
    this.queues.set(link, queue);
    link.onDrain(() => queue.flush());
    link.onMessage((message) => {
      try {
        parseStreamRequest(message);
        this.requestKeyframe();
      } catch (error) {
        if (!(error instanceof LinkProtocolError)) throw error;
        link.close();
      }
    });
    link.onClose(() => {
      this.queues.delete(link);
      if (this.queues.size === 0) this.onEmpty();
    });
    for (const packet of this.cache.replay()) queue.push(packet);
    // Before the first frame no request is needed, because the phone is already about to send a keyframe.
    if (this.cache.needsKeyframe && this.cache.size) this.requestKeyframe();
  }

  close(): void {
    for (const link of [...this.queues.keys()]) link.close();
  }
}
