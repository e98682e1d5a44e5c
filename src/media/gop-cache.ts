import { decodePacket, packetType } from '../contract/sockets/stream-packets.ts';

/**
 * Maximum bytes cached for late viewers. A screen's group of pictures takes 0.1 to 1 MiB, and a larger one is slow to
 * catch up on.
 */
export const MAX_GOP_BYTES = 2 * 1024 * 1024;
/** Ten seconds at 60 frames per second: scrcpy's interval between keyframes. */
export const MAX_GOP_PACKETS = 600;

/**
 * GOP cache: the current group of pictures of one stream, so that a late viewer gets a frame at once, even of a
 * still screen. Accepts and returns encoded v4 packets, by reference. A keyframe is not cached until the size and the
 * config packet are known, because it could not be decoded.
 */
export class GopCache {
  /** The most recently announced size, in pixels. */
  size: { width: number; height: number } | null = null;
  private readonly maxBytes: number;
  private readonly maxPackets: number;
  private session: Uint8Array | null = null;
  private config: Uint8Array | null = null;
  /** Starts with the size, config and keyframe that belong together; empty when there is no complete GOP. */
  private gop: Uint8Array[] = [];
  private bytes = 0;

  constructor(options: { maxBytes?: number; maxPackets?: number } = {}) {
    this.maxBytes = options.maxBytes ?? MAX_GOP_BYTES;
    this.maxPackets = options.maxPackets ?? MAX_GOP_PACKETS;
  }

  /**
   * The cache has no frame for a late viewer: either none has arrived, or the GOP exceeded its bound and was dropped.
   */
  get needsKeyframe(): boolean {
    return this.gop.length === 0;
  }

  /** @throws RangeError when a session packet is truncated. */
  push(packet: Uint8Array): void {
    const type = packetType(packet);
    if (type === 'session') this.setSession(packet);
    // No encoder produces a config packet above the bound. Without a config packet, what follows is not cached.
    if (type === 'config') this.config = packet.length > this.maxBytes ? null : packet;
    if (type === 'keyframe') this.begin();
    if (type === 'keyframe' ? this.session && this.config : this.gop.length > 0) this.append(packet);
  }

  /** The packets to send to a late viewer: the current GOP, or only the known size and config. */
  replay(): Uint8Array[] {
    if (this.gop.length > 0) return [...this.gop];
    return [this.session, this.config].filter((packet) => packet !== null);
  }

  /** Called when the stream restarts, because cached packets do not belong to the new stream. */
  clear(): void {
    this.session = null;
    this.config = null;
    this.drop();
  }

  private setSession(packet: Uint8Array): void {
    const decoded = decodePacket(packet);
    if (decoded.type !== 'session') return;
    this.session = packet;
    this.size = { width: decoded.width, height: decoded.height };
  }

  private begin(): void {
    this.drop();
    if (!this.session || !this.config) return;
    this.gop = [this.session, this.config];
    this.bytes = this.session.length + this.config.length;
  }

  private append(packet: Uint8Array): void {
    this.gop.push(packet);
    this.bytes += packet.length;
    if (this.bytes > this.maxBytes || this.gop.length > this.maxPackets) this.drop();
  }

  private drop(): void {
    this.gop = [];
    this.bytes = 0;
  }
}
