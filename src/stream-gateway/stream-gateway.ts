import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { STREAM_SUBPROTOCOLS } from '../contract/sockets/stream-packets.ts';
import { AGENT_LINK_TIMING, type AgentLinkTiming } from '../gateway/agent-link.ts';
import {
  SOCKET_GATEWAY_DEFAULTS,
  SocketGateway,
  type SocketGatewayConfig,
  type SocketGatewayOptions,
} from '../gateway/socket-gateway.ts';
import type { AuthenticatedClient } from '../gateway/upgrade-authenticator.ts';
import type { ReservedSlot } from '../gateway/upgrade-handler.ts';
import { UpgradeRejection } from '../gateway/upgrade-rejection.ts';
import type { PacketQueueOptions } from '../media/packet-queue.ts';
import type { SessionRow } from '../store/entities.ts';
import { Slots } from '../util/slots.ts';
import { Relay, type RelayContext } from './relay.ts';

export interface StreamGatewayOptions extends SocketGatewayOptions {
  maxViewersPerSession: number;
  lingerMs: number;
  keyframeIntervalMs: number;
  /** A viewer that has been too slow for this long is closed with 4008. */
  tooSlowMs: number;
  /** How often slow viewers are evicted. */
  evictionCheckMs: number;
  link: AgentLinkTiming;
  queue?: PacketQueueOptions;
}

const DEFAULTS: StreamGatewayOptions = {
  ...SOCKET_GATEWAY_DEFAULTS,
  maxViewersPerSession: 50,
  lingerMs: 5000,
  keyframeIntervalMs: 250,
  tooSlowMs: 10_000,
  evictionCheckMs: 500,
  link: AGENT_LINK_TIMING,
};

/** A viewer only sends one-byte keyframe requests. A larger message closes its socket with 1009. */
const MAX_VIEWER_MESSAGE_BYTES = 1024;

export interface StreamCounters {
  sessions: number;
  viewers: number;
  /** Packets received from hosts so far. */
  received: number;
  /** Bytes in the queues of all viewers. */
  waitingBytes: number;
  /** Frames and bytes sent to viewers so far. */
  frames: number;
  bytes: number;
  droppedGroups: number;
  tooSlow: number;
  rejected: number;
}

interface StreamGatewayConfig extends SocketGatewayConfig {
  options?: Partial<StreamGatewayOptions>;
}

/**
 * Streams screens to viewers at `/stream/<token>/<session_id>`. There is one link per session from its agent while it
 * has viewers. Each viewer receives scrcpy's video packets through its own queue.
 */
export class StreamGateway extends SocketGateway<Relay> {
  private readonly options: StreamGatewayOptions;
  private readonly relayContext: RelayContext;
  private readonly evictionTimer: NodeJS.Timeout;
  private readonly viewerSlots: Slots;
  private readonly traffic = { received: 0, frames: 0, bytes: 0 };
  /** Groups of pictures dropped by relays that have closed since. */
  private droppedBefore = 0;
  private tooSlow = 0;

  constructor(config: StreamGatewayConfig) {
    const options = { ...DEFAULTS, ...config.options };
    super(config, options, {
      purpose: 'stream',
      subprotocols: STREAM_SUBPROTOCOLS,
      maxPayload: MAX_VIEWER_MESSAGE_BYTES,
    });
    this.options = options;
    const perSubject = options.maxViewersPerSession;
    this.viewerSlots = new Slots({ total: Number.POSITIVE_INFINITY, perSubject });
    const { lingerMs, keyframeIntervalMs, queue, link: timing } = options;
    this.relayContext = {
      watch: this.watch,
      link: { ...this.linkContext, timing },
      traffic: this.traffic,
      queue,
      lingerMs,
      keyframeIntervalMs,
      onClose: (relay) => this.discard(relay),
    };
    this.evictionTimer = setInterval(() => this.evictSlowViewers(), options.evictionCheckMs);
  }

  get counters(): StreamCounters {
    let viewers = 0;
    let droppedGroups = this.droppedBefore;
    let waitingBytes = 0;
    for (const relay of this.sessions.values()) {
      viewers += relay.viewers.size;
      droppedGroups += relay.droppedGroups;
      for (const { queue } of relay.viewers) waitingBytes += queue.waitingBytes;
    }
    const { tooSlow, traffic, sessions, upgrades } = this;
    return {
      sessions: sessions.size,
      viewers,
      waitingBytes,
      ...traffic,
      droppedGroups,
      tooSlow,
      rejected: upgrades.rejected,
    };
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.evictionTimer);
    await super[Symbol.asyncDispose]();
  }

  /** Counts the viewer before its upgrade, because viewers may connect at the same moment. */
  protected override reserveSlot({ session }: AuthenticatedClient): ReservedSlot {
    const release = this.viewerSlots.reserve(session.id);
    if (typeof release !== 'function') {
      const limit = this.options.maxViewersPerSession;
      throw new UpgradeRejection(
        'unavailable',
        `this session has reached its limit of ${limit} viewers; close one first`,
      );
    }
    return { accept: (socket, transport) => this.addViewer(socket, transport, session, release), release };
  }

  protected override open(session: SessionRow): Relay {
    return new Relay(session, this.relayContext);
  }

  private discard(relay: Relay): void {
    this.sessions.delete(relay.session.id);
    this.droppedBefore += relay.droppedGroups;
  }

  private addViewer(
    socket: WebSocket,
    transport: Duplex,
    session: SessionRow,
    release: () => void,
  ): () => void {
    this.sockets.add(socket);
    const layout = socket.protocol === 'scrcpy.v3' ? 'scrcpy.v3' : 'scrcpy.v4';
    const relay = this.sessionOf(session);
    const viewer = relay.add(socket, transport, layout);
    return () => {
      relay.remove(viewer);
      release();
    };
  }

  private evictSlowViewers(): void {
    for (const relay of this.sessions.values()) {
      this.tooSlow += relay.evictSlowViewers(this.options.tooSlowMs);
    }
  }
}
