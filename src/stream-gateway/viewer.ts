import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { CLOSE, type CloseCode } from '../contract/sockets/close-codes.ts';
import {
  decodePacket,
  encodePreamble,
  packetType,
  RESET_VIDEO,
  type StreamLayout,
  toLayoutV3,
} from '../contract/sockets/stream-packets.ts';
import { PacketQueue, type PacketQueueOptions, type PacketSink } from '../media/packet-queue.ts';
import { messageOf } from '../media/viewer-message.ts';
import type { Step } from '../util/steps.ts';

/** Packets already converted to the older layout, so that all viewers of that layout share one copy. */
const inLayoutV3 = new WeakMap<Uint8Array, Uint8Array | null>();

/**
 * A keyframe is many times the size of another frame, so one viewer must not make the phone send only keyframes.
 */
const REQUEST_INTERVAL_MS = 1_000;
/** Requests that may be ignored between two accepted ones, before the viewer is closed. */
const MAX_IGNORED_REQUESTS = 20;

/** Packets received from hosts, and frames and bytes sent to all viewers. */
export interface StreamTraffic {
  received: number;
  frames: number;
  bytes: number;
}

/** One viewer's socket with its own queue, so that a slow viewer does not affect the others. */
export class Viewer {
  readonly queue: PacketQueue;
  readonly socket: WebSocket;
  /** Measures the wait for the first frame. */
  readonly firstFrame: Step;
  private acceptedAt = Number.NEGATIVE_INFINITY;
  private ignoredRequests = 0;

  constructor(
    socket: WebSocket,
    transport: Duplex,
    options: {
      layout: StreamLayout;
      requestKeyframe: () => void;
      traffic: StreamTraffic;
      /** Measures the wait for the first frame. */
      firstFrame: Step;
      queue: PacketQueueOptions | undefined;
    },
  ) {
    this.socket = socket;
    this.firstFrame = options.firstFrame;
    const sink = new ViewerSink(socket, transport, options);
    this.queue = new PacketQueue(sink, options.requestKeyframe, options.queue);
    transport.on('drain', () => this.queue.flush());
    socket.on('message', (message: Buffer, isBinary: boolean) => {
      if (isBinary && message.equals(RESET_VIDEO)) this.handleKeyframeRequest(options.requestKeyframe);
      else this.close(CLOSE.policy, 'a viewer may only send keyframe requests: one byte, 17');
    });
  }

  /** Accepts one request per second. The gateway itself asks more often when viewers need a keyframe. */
  private handleKeyframeRequest(requestKeyframe: () => void): void {
    const now = performance.now();
    if (now - this.acceptedAt >= REQUEST_INTERVAL_MS) {
      this.acceptedAt = now;
      this.ignoredRequests = 0;
      requestKeyframe();
    } else {
      this.ignoredRequests += 1;
      if (this.ignoredRequests > MAX_IGNORED_REQUESTS)
        this.close(CLOSE.policy, 'too many keyframe requests; send at most one a second');
    }
  }

  close(code: CloseCode, reason: string): void {
    this.socket.close(code, reason);
  }
}

/**
 * Encodes packets in the viewer's layout. The preamble goes first; in the older layout it needs the size. Messages are
 * written to the connection as they are, because `ws` would create the same message anew for each viewer and write it in
 * two parts; that takes up to twice the processor time (decision 035).
 */
class ViewerSink implements PacketSink {
  private readonly socket: WebSocket;
  private readonly transport: Duplex;
  private readonly layout: StreamLayout;
  private readonly traffic: StreamTraffic;
  private readonly firstFrame: Step;
  private hasPreamble = false;

  constructor(
    socket: WebSocket,
    transport: Duplex,
    { layout, traffic, firstFrame }: { layout: StreamLayout; traffic: StreamTraffic; firstFrame: Step },
  ) {
    this.socket = socket;
    this.transport = transport;
    this.layout = layout;
    this.traffic = traffic;
    this.firstFrame = firstFrame;
    if (layout === 'scrcpy.v4') this.sendPreamble({ width: 0, height: 0 });
  }

  get bufferedBytes(): number {
    return this.transport.writableLength;
  }

  send(packet: Uint8Array): void {
    if (!this.hasPreamble) {
      const first = decodePacket(packet);
      if (first.type !== 'session') return;
      this.sendPreamble(first);
    }
    const bytes = this.layout === 'scrcpy.v4' ? packet : asLayoutV3(packet);
    if (!bytes) return;
    const type = packetType(packet);
    this.write(bytes, type === 'keyframe' || type === 'delta');
  }

  private sendPreamble(size: { width: number; height: number }): void {
    this.hasPreamble = true;
    this.write(encodePreamble(this.layout, size), false);
  }

  private write(bytes: Uint8Array, isFrame: boolean): void {
    // After a close frame, no message may follow.
    if (this.socket.readyState !== this.socket.OPEN) return;
    this.transport.write(messageOf(bytes));
    this.traffic.bytes += bytes.length;
    if (!isFrame) return;
    this.traffic.frames += 1;
    this.firstFrame.end();
  }
}

function asLayoutV3(packet: Uint8Array): Uint8Array | null {
  let bytes = inLayoutV3.get(packet);
  if (bytes === undefined) {
    bytes = toLayoutV3(packet);
    inLayoutV3.set(packet, bytes);
  }
  return bytes;
}
