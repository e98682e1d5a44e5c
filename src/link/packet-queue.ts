import { packetType } from '../contract/stream-packets.ts';
import { MAX_GROUP_BYTES, MAX_GROUP_PACKETS } from './group-cache.ts';

/** Where packets go: a link or a viewer's socket. */
export interface PacketSink {
  /** Bytes sent and not yet taken by the transport. */
  readonly bufferedBytes: number;
  send(packet: Uint8Array): void;
}

export interface PacketQueueOptions {
  /** Bytes and packets that may wait here. One keyframe may, however large, or it could never pass. */
  maxBytes?: number;
  maxPackets?: number;
  /** Above this many bytes in the transport, packets wait here, where they can still be dropped. */
  sinkBytes?: number;
  /** Without a drop for this long, all that came before is forgiven. */
  recoveryMs?: number;
  /** Milliseconds on a clock that never goes back. */
  now?: () => number;
}

/** A keyframe and what follows it, with the size and config it needs. */
interface Group {
  session: Uint8Array;
  config: Uint8Array;
  packets: Uint8Array[];
}

/**
 * One receiver's bounded queue. While the receiver keeps up, a packet is sent in the call that brings it. Over
 * the bound, groups are dropped whole up to the newest keyframe that waits, or all that waits; the stream then
 * resumes at a keyframe, preceded by the newest size and config. So a decoder gets each group from its keyframe
 * on without a gap, perhaps cut short, and never a broken picture.
 * Encoded v4 packets go in and come out, by reference.
 */
export class PacketQueue {
  /** Times that something was dropped. */
  droppedGroups = 0;
  /** Bytes that wait here, not counting those in the sink. */
  waitingBytes = 0;
  private readonly sink: PacketSink;
  private readonly askKeyframe: () => void;
  private readonly options: Required<PacketQueueOptions>;
  private session: Uint8Array | null = null;
  private config: Uint8Array | null = null;
  /** What the receiver has of them; null when it must get them again. */
  private sentSession: Uint8Array | null = null;
  private sentConfig: Uint8Array | null = null;
  /** Oldest first. The first may have lost its head, which has been sent already. */
  private waiting: Group[] = [];
  private waitingPackets = 0;
  /** Nothing but a keyframe can be taken now. */
  private skipping = true;
  private firstDrop: number | null = null;
  private recoveredAt: number | null = null;

  /** `askKeyframe` may be called often; whoever passes it on to the phone limits the rate. */
  constructor(sink: PacketSink, askKeyframe: () => void, options: PacketQueueOptions = {}) {
    this.sink = sink;
    this.askKeyframe = askKeyframe;
    this.options = {
      maxBytes: MAX_GROUP_BYTES,
      maxPackets: MAX_GROUP_PACKETS,
      sinkBytes: 256 * 1024,
      recoveryMs: 2000,
      now: () => performance.now(),
      ...options,
    };
  }

  /** Since when the receiver has been too slow, by `now`; null while it keeps up. */
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

  /** To be called when the sink has taken what it had. */
  flush(): void {
    while (this.waiting.length > 0 && this.hasRoom()) this.sendNext();
    if (this.waiting.length > 0 || !this.hasRoom()) return;
    // Until the source has begun there is nothing to ask for: it begins with a keyframe.
    if (this.skipping && this.session) this.askKeyframe();
    else if (!this.skipping) this.recoveredAt ??= this.options.now();
  }

  /** The source begins anew, with size, config and a keyframe: nothing that follows goes with what came before. */
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
    // A receiver with no room gets no keyframe asked for: it could not take it, and the others pay for it.
    if (this.skipping) {
      if (this.waiting.length === 0 && this.hasRoom()) this.askKeyframe();
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

  private enqueue(group: Group | null, packet: Uint8Array): void {
    if (group) this.waiting.push(group);
    this.waitingBytes += packet.length;
    this.waitingPackets += 1;
    if (this.waiting.length === 1 && this.waitingPackets === 1 && this.hasRoom()) this.sendNext();
    else if (this.isOver()) this.shorten();
  }

  private isOver(): boolean {
    const { maxBytes, maxPackets } = this.options;
    return this.waitingBytes > maxBytes || this.waitingPackets > maxPackets;
  }

  /** Drops all but the newest group, and that one too when it alone is too much. */
  private shorten(): void {
    const newest = this.waiting.at(-1)!;
    const onlyKeyframe = newest.packets.length === 1 && packetType(newest.packets[0]!) === 'keyframe';
    if (this.waiting.length > 1) this.dropUpTo(newest);
    if (this.isOver() && !onlyKeyframe) this.dropUpTo(null);
  }

  private dropUpTo(kept: Group | null): void {
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
    const group = this.waiting[0]!;
    if (group.session !== this.sentSession) this.sink.send(group.session);
    if (group.config !== this.sentConfig || group.session !== this.sentSession) this.sink.send(group.config);
    this.sentSession = group.session;
    this.sentConfig = group.config;
    const packet = group.packets.shift()!;
    if (group.packets.length === 0) this.waiting.shift();
    this.waitingBytes -= packet.length;
    this.waitingPackets -= 1;
    this.sink.send(packet);
  }
}
