import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { Bus } from '../bus/bus.ts';
import { CLOSE } from '../contract/sockets/close-codes.ts';
import { STREAM_SUBPROTOCOLS } from '../contract/sockets/stream-packets.ts';
import { AGENT_LINK_TIMING, type AgentLinkTiming } from '../gateway/agent-link.ts';
import { OpenSockets } from '../gateway/open-sockets.ts';
import { SessionWatch } from '../gateway/session-watch.ts';
import { type AdmissionRules, UpgradeHandler } from '../gateway/upgrade-handler.ts';
import type { LinkListener } from '../link/link.ts';
import { TicketIssuer } from '../link/ticket-issuer.ts';
import type { PacketQueueOptions } from '../media/packet-queue.ts';
import type { SessionRow } from '../store/entities.ts';
import type { Store } from '../store/store.ts';
import type { Log } from '../util/log.ts';
import { noSteps, type Steps } from '../util/steps.ts';
import { Relay } from './relay.ts';

export interface StreamGatewayOptions {
  maxViewersPerSession: number;
  pingMs: number;
  /** How often the rows of the sessions served are read. */
  pollMs: number;
  /** How often the grants of the open sockets are read. */
  grantPollMs?: number;
  lingerMs: number;
  keyframeIntervalMs: number;
  /** A viewer that has been too slow for this long is closed with 4008. */
  tooSlowMs: number;
  /** How often slow viewers are looked for. */
  evictionCheckMs: number;
  /** How long closing may take at shutdown. Sockets that are still open then are terminated. */
  disposeMs: number;
  link: AgentLinkTiming;
  queue?: PacketQueueOptions;
}

const DEFAULTS: StreamGatewayOptions = {
  maxViewersPerSession: 50,
  pingMs: 15_000,
  pollMs: 2000,
  lingerMs: 5000,
  keyframeIntervalMs: 250,
  tooSlowMs: 10_000,
  evictionCheckMs: 500,
  disposeMs: 3000,
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
  refused: number;
}

interface StreamGatewayConfig extends AdmissionRules {
  store: Pick<Store, 'getSession' | 'getSessions' | 'validGrants'>;
  bus: Bus;
  /** This gateway's own listener for links from hosts. It is closed with the gateway. */
  links: LinkListener;
  log: Log;
  steps?: Steps;
  options?: Partial<StreamGatewayOptions>;
}

/**
 * Streams screens to viewers at `/stream/<token>/<session_id>`. There is one link per session from its agent while it
 * has viewers. Each viewer receives scrcpy's video packets through its own queue.
 */
export class StreamGateway implements AsyncDisposable {
  private readonly deps: { bus: Bus; log: Log };
  private readonly options: StreamGatewayOptions;
  private readonly door: UpgradeHandler;
  private readonly links: LinkListener;
  private readonly tickets: TicketIssuer;
  private readonly watch: SessionWatch;
  private readonly sockets: OpenSockets;
  private readonly relays = new Map<string, Relay>();
  private readonly evictionTimer: NodeJS.Timeout;
  private readonly steps: Steps;
  private readonly passed = { received: 0, frames: 0, bytes: 0 };
  private droppedBefore = 0;
  private tooSlow = 0;

  constructor(config: StreamGatewayConfig) {
    const { store, bus, links, log } = config;
    this.deps = { bus, log };
    this.steps = config.steps ?? noSteps;
    this.options = { ...DEFAULTS, ...config.options };
    this.links = links;
    this.tickets = new TicketIssuer(links);
    this.watch = new SessionWatch({ store, bus, log, pollMs: this.options.pollMs });
    this.sockets = new OpenSockets({ pingMs: this.options.pingMs });
    this.door = new UpgradeHandler({
      purpose: 'stream',
      rules: config,
      store,
      log,
      ...(this.options.grantPollMs !== undefined && { grantPollMs: this.options.grantPollMs }),
      subprotocols: STREAM_SUBPROTOCOLS,
      maxPayload: MAX_VIEWER_MESSAGE_BYTES,
      whyFull: (session) => this.whyFull(session),
      onSocket: (socket, { session }) => this.take(socket, session),
    });
    this.evictionTimer = setInterval(() => this.evictSlowViewers(), this.options.evictionCheckMs);
  }

  get counters(): StreamCounters {
    let viewers = 0;
    let droppedGroups = this.droppedBefore;
    let waitingBytes = 0;
    for (const relay of this.relays.values()) {
      viewers += relay.viewers.size;
      droppedGroups += relay.droppedGroups;
      for (const { queue } of relay.viewers) waitingBytes += queue.waitingBytes;
    }
    const { tooSlow, passed, relays, door } = this;
    return {
      sessions: relays.size,
      viewers,
      waitingBytes,
      ...passed,
      droppedGroups,
      tooSlow,
      refused: door.refused,
    };
  }

  /**
   * Handles the `upgrade` event of any number of HTTP and HTTPS servers. Requests for other paths are answered with
   * 404.
   */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    void this.door.handleUpgrade(request, socket, head);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.door.close();
    clearInterval(this.evictionTimer);
    this.watch.close();
    for (const relay of [...this.relays.values()])
      relay.close(CLOSE.restart, 'the gateway is restarting; reconnect');
    await this.sockets.closeAll(
      CLOSE.restart,
      'the gateway is restarting; reconnect',
      this.options.disposeMs,
    );
    await this.links[Symbol.asyncDispose]();
  }

  private whyFull(session: SessionRow): string | null {
    const viewers = this.relays.get(session.id)?.viewers.size ?? 0;
    if (viewers < this.options.maxViewersPerSession) return null;
    return `this session has reached its limit of ${viewers} viewers`;
  }

  private take(socket: WebSocket, session: SessionRow): void {
    this.sockets.add(socket);
    const relay = this.relays.get(session.id) ?? this.openRelay(session);
    relay.add(socket, socket.protocol === 'scrcpy.v3' ? 'scrcpy.v3' : 'scrcpy.v4');
  }

  private openRelay(session: SessionRow): Relay {
    const { lingerMs, keyframeIntervalMs, queue, link: timing } = this.options;
    const relay = new Relay({
      session,
      watch: this.watch,
      log: this.deps.log,
      link: { bus: this.deps.bus, tickets: this.tickets, steps: this.steps, timing },
      passed: this.passed,
      queue,
      lingerMs,
      keyframeIntervalMs,
      onClose: () => {
        this.relays.delete(session.id);
        this.droppedBefore += relay.droppedGroups;
      },
    });
    this.relays.set(session.id, relay);
    return relay;
  }

  private evictSlowViewers(): void {
    for (const relay of this.relays.values()) this.tooSlow += relay.evictSlowViewers(this.options.tooSlowMs);
  }
}
