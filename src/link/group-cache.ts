import { decodePacket, packetType } from '../contract/stream-packets.ts';

/** Bytes of pictures kept for late joiners: a screen's group is 0.1 to 1 MiB, and more is slow to catch up on. */
export const MAX_GROUP_BYTES = 2 * 1024 * 1024;
/** Ten seconds at 60 pictures a second: scrcpy's interval between keyframes. */
export const MAX_GROUP_PACKETS = 600;

/**
 * The current group of pictures of one stream, so that a late joiner sees a picture at once, on a still screen
 * too. Takes and gives encoded v4 packets, by reference. A keyframe before the size and the config packet are
 * known is of no use to anyone and is not kept.
 */
export class GroupCache {
  /** The size announced last, in pixels. */
  size: { width: number; height: number } | null = null;
  private readonly maxBytes: number;
  private readonly maxPackets: number;
  private session: Uint8Array | null = null;
  private config: Uint8Array | null = null;
  /** Begins with size, config and keyframe, as they were then; empty when there is no whole group. */
  private group: Uint8Array[] = [];
  private bytes = 0;

  constructor(options: { maxBytes?: number; maxPackets?: number } = {}) {
    this.maxBytes = options.maxBytes ?? MAX_GROUP_BYTES;
    this.maxPackets = options.maxPackets ?? MAX_GROUP_PACKETS;
  }

  /** There is no picture for a late joiner: none came yet, or the group outgrew its bound and was dropped. */
  get needsKeyframe(): boolean {
    return this.group.length === 0;
  }

  /** @throws RangeError when a session packet is not whole. */
  push(packet: Uint8Array): void {
    const type = packetType(packet);
    if (type === 'session') this.setSession(packet);
    // One that alone is over the bound comes of no encoder; what follows it is kept for nobody.
    if (type === 'config') this.config = packet.length > this.maxBytes ? null : packet;
    if (type === 'keyframe') this.begin();
    if (type === 'keyframe' ? this.session && this.config : this.group.length > 0) this.append(packet);
  }

  /** What a late joiner is sent: the group so far, or only what is known of size and config. */
  replay(): Uint8Array[] {
    if (this.group.length > 0) return [...this.group];
    return [this.session, this.config].filter((packet) => packet !== null);
  }

  /** The stream begins anew: what was kept does not go with what follows. */
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
    this.group = [this.session, this.config];
    this.bytes = this.session.length + this.config.length;
  }

  private append(packet: Uint8Array): void {
    this.group.push(packet);
    this.bytes += packet.length;
    if (this.bytes > this.maxBytes || this.group.length > this.maxPackets) this.drop();
  }

  private drop(): void {
    this.group = [];
    this.bytes = 0;
  }
}
