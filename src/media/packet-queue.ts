import { packetType } from '../contract/sockets/stream-packets.ts';
import { MAX_GOP_BYTES, MAX_GOP_PACKETS } from './gop-cache.ts';

/** Receiver of packets: a link or a viewer's socket. */
export interface PacketSink {
  /** Bytes sent but not yet taken by the transport. */
  readonly bufferedBytes: number;
  send(packet: Uint8Array): void;
}

export interface PacketQueueOptions {
  /**
   * Maximum bytes and packets in the queue. A single keyframe may exceed it, because it could otherwise never be
   * sent.
   */
  maxBytes?: number;
  maxPackets?: number;
  /** Above this many bytes in the transport, packets wait in the queue, where they can still be dropped. */
  sinkBytes?: number;
  /** A receiver without a drop for this long no longer counts as slow, ms. */
  recoveryMs?: number;
  /** Monotonic clock, ms. */
  now?: () => number;
}

const DEFAULTS: Required<PacketQueueOptions> = {
  maxBytes: MAX_GOP_BYTES,
  maxPackets: MAX_GOP_PACKETS,
  sinkBytes: 256 * 1024,
  recoveryMs: 2000,
  now: () => performance.now(),
};

/** A keyframe and the packets that follow it, with the size and config that it needs. */
interface Gop {
  session: Uint8Array;
  config: Uint8Array;
  packets: Uint8Array[];
}

/**
 * The bounded queue of one receiver. While the receiver keeps up, push() sends each packet immediately. Above the
 * bound, whole groups of pictures are dropped: all before the newest waiting keyframe, or everything that waits. The
 * stream then resumes at a keyframe, preceded by the newest size and config. A decoder therefore gets each GOP from
 * its keyframe on without a gap, perhaps truncated, and never shows a corrupt frame.
 * Encoded v4 packets go in and come out, by reference.
 */
export class PacketQueue {
  /** Number of drops. */
  droppedGroups = 0;
  /** Bytes in the queue, not counting those in the sink. */
  waitingBytes = 0;
  private readonly sink: PacketSink;
  private readonly requestKeyframe: () => void;
  private readonly options: Required<PacketQueueOptions>;
  private session: Uint8Array | null = null;
  private config: Uint8Array | null = null;
  /** The size and config that the receiver has; null when they must be sent again. */
  private sentSession: Uint8Array | null = null;
  private sentConfig: Uint8Array | null = null;
  /** Oldest first. The first packets of the first GOP may already have been sent. */
  private waiting: Gop[] = [];
  private waitingPackets = 0;
  /** Only a keyframe can be accepted now; other packets are discarded. */
  private skipping = true;
  private firstDrop: number | null = null;
  private recoveredAt: number | null = null;

  /** `requestKeyframe` may be called often; the caller that forwards it to the phone must limit the rate. */
  constructor(sink: PacketSink, requestKeyframe: () => void, options?: PacketQueueOptions) {
    this.sink = sink;
    this.requestKeyframe = requestKeyframe;
    this.options = options ? { ...DEFAULTS, ...options } : DEFAULTS;
  }

  /** Time, by `now`, since which the receiver has been too slow; null while it keeps up. */
  get overSince(): number | null {
    const { now, recoveryMs } = this.options;
    const forgiven = this.recoveredAt !== null && now() - this.recoveredAt >= recoveryMs;
    return forgiven ? null : this.firstDrop;
  }

  push(packet: Uint8Array): void {
    const type = packetType(packet);
    if (type === 'session') this.session = packet;
    else if (type === 'config') this.config = packet;
    else if (type === 'keyframe') this.takeKeyframe(packet);
    else this.takeDelta(packet);
  }

  /** Called when the sink has drained. */
  flush(): void {
    while (this.waiting.length > 0 && this.hasRoom()) this.sendNext();
    if (this.waiting.length > 0 || !this.hasRoom()) return;
    // Before the source starts there is nothing to request, because it starts with a keyframe
    if (this.skipping && this.session) this.requestKeyframe();
    else if (!this.skipping) this.recoveredAt ??= this.options.now();
  }

  /**
   * Called when the source restarts, with size, config and a keyframe; new packets do not continue the previous ones.
   */
  restart(): void {
    this.skipping = true;
    this.session = null;
    this.config = null;
  }

  private hasRoom(): boolean {
    return this.sink.bufferedBytes < this.options.sinkBytes;
  }

  private takeKeyframe(packet: Uint8Array): void {
    const { session, config } = this;
    if (!session || !config) return;
    this.skipping = false;
    this.enqueue({ session, config, packets: [packet] }, packet);
  }

  private takeDelta(packet: Uint8Array): void {
    // No keyframe is requested for a receiver without room: it could not accept one, and all other viewers would pay
    // for it
    if (this.skipping) {
      if (this.waiting.length === 0 && this.hasRoom()) this.requestKeyframe();
      return;
    }
    if (this.waiting.length === 0 && this.hasRoom()) {
      this.sink.send(packet);
      return;
    }
    const last = this.waiting.at(-1);
    if (last) {
      last.packets.push(packet);
      this.enqueue(null, packet);
    } else {
      this.enqueue({ session: this.sentSession!, config: this.sentConfig!, packets: [packet] }, packet);
    }
  }

  private enqueue(gop: Gop | null, packet: Uint8Array): void {
    if (gop) this.waiting.push(gop);
    this.waitingBytes += packet.length;
    this.waitingPackets += 1;
    if (this.waiting.length === 1 && this.waitingPackets === 1 && this.hasRoom()) this.sendNext();
    else if (this.isOver()) this.shorten();
  }

  private isOver(): boolean {
    const { maxBytes, maxPackets } = this.options;
    return this.waitingBytes > maxBytes || this.waitingPackets > maxPackets;
  }

  /** Drops all but the newest GOP, and also that one if it alone exceeds the bound. */
  private shorten(): void {
    const newest = this.waiting.at(-1)!;
    const onlyKeyframe = newest.packets.length === 1 && packetType(newest.packets[0]!) === 'keyframe';
    if (this.waiting.length > 1) this.dropUpTo(newest);
    if (this.isOver() && !onlyKeyframe) this.dropUpTo(null);
  }

  private dropUpTo(kept: Gop | null): void {
    const { now } = this.options;
    this.waiting = kept ? [kept] : [];
    this.waitingPackets = kept?.packets.length ?? 0;
    this.waitingBytes = kept?.packets.reduce((sum, packet) => sum + packet.length, 0) ?? 0;
    this.skipping = kept === null;
    this.sentSession = null;
    this.sentConfig = null;
    this.droppedGroups += 1;
    if (this.overSince === null) this.firstDrop = now();
    this.recoveredAt = null;
  }

  private sendNext(): void {
    const gop = this.waiting[0]!;
    if (gop.session !== this.sentSession) this.sink.send(gop.session);
    if (gop.config !== this.sentConfig || gop.session !== this.sentSession) this.sink.send(gop.config);
    this.sentSession = gop.session;
    this.sentConfig = gop.config;
    const packet = gop.packets.shift()!;
    if (gop.packets.length === 0) this.waiting.shift();
    this.waitingBytes -= packet.length;
    this.waitingPackets -= 1;
    this.sink.send(packet);
  }
}
