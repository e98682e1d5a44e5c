import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { CLOSE, type CloseCode } from '../contract/sockets/close-codes.ts';
import { assertPacket, type StreamLayout } from '../contract/sockets/stream-packets.ts';
import { AgentLink, type AgentLinkOptions } from '../gateway/agent-link.ts';
import type { SessionWatch } from '../gateway/session-watch.ts';
import { closeAtSessionEnd } from '../gateway/socket-gateway.ts';
import type { Link, LinkMessage } from '../link/link.ts';
import { encodeLinkMessage } from '../link/messages.ts';
import { GopCache } from '../media/gop-cache.ts';
import type { PacketQueueOptions } from '../media/packet-queue.ts';
import type { SessionRow } from '../store/entities.ts';
import type { Log } from '../util/log.ts';
import { type StreamTraffic, Viewer } from './viewer.ts';

export interface RelayOptions {
  session: SessionRow;
  watch: SessionWatch;
  log: Log;
  link: Omit<AgentLinkOptions, 'session' | 'purpose' | 'onUp' | 'onDown' | 'log'>;
  traffic: StreamTraffic;
  queue: PacketQueueOptions | undefined;
  /** How long the link stays up after the last viewer has disconnected. */
  lingerMs: number;
  /** Minimum interval between keyframe requests to the phone, however many viewers need one. */
  keyframeIntervalMs: number;
  /** Called once, when the relay closes, so that its owner can discard it. */
  onClose(): void;
}

/**
 * One session's stream, from its agent to every viewer on this gateway. It exists while there are viewers, and for
 * `lingerMs` after the last one.
 */
export class Relay {
  readonly viewers = new Set<Viewer>();
  /** Groups of pictures dropped for viewers that have disconnected since. */
  private droppedBefore = 0;
  private readonly options: RelayOptions;
  private readonly cache = new GopCache();
  private readonly agent: AgentLink;
  private readonly unwatch: () => void;
  private link: Link | null = null;
  private linger: NodeJS.Timeout | undefined;
  private keyframeTimer: NodeJS.Timeout | undefined;
  private keyframeRequestedAt = Number.NEGATIVE_INFINITY;
  private closed = false;

  constructor(options: RelayOptions) {
    this.options = options;
    const { session, watch, log } = options;
    this.unwatch = watch.watch(session, {
      onChange: ({ status }) => status === 'connected' && this.agent.retryNow(),
      ...closeAtSessionEnd((code, reason) => this.close(code, reason)),
    });
    this.agent = new AgentLink({
      ...options.link,
      session,
      log,
      purpose: 'stream',
      onUp: (link) => this.attachLink(link),
      onDown: () => {
        this.link = null;
      },
    });
  }

  get droppedGroups(): number {
    let sum = this.droppedBefore;
    for (const viewer of this.viewers) sum += viewer.queue.droppedGroups;
    return sum;
  }

  /** @param transport the connection under the WebSocket */
  add(socket: WebSocket, transport: Duplex, layout: StreamLayout): void {
    clearTimeout(this.linger);
    const { session, traffic, link } = this.options;
    const viewer = new Viewer(socket, transport, {
      layout,
      requestKeyframe: () => this.requestKeyframe(),
      traffic,
      firstFrame: link.steps.begin('stream.first-frame', session.id),
      queue: this.options.queue,
    });
    this.viewers.add(viewer);
    socket.on('close', () => this.remove(viewer));
    for (const packet of this.cache.replay()) viewer.queue.push(packet);
    // Before the first frame no request is needed, because the phone is already about to send a keyframe.
    if (this.cache.needsKeyframe && this.cache.size) this.requestKeyframe();
  }

  /**
   * Evicts viewers that have exceeded their queue limit for longer than `tooSlowMs`, and lets the others repeat
   * keyframe requests that may have been lost. Called periodically. Returns the number of evicted viewers.
   */
  evictSlowViewers(tooSlowMs: number): number {
    let evicted = 0;
    for (const viewer of this.viewers) {
      const since = viewer.queue.overSince;
      if (since === null || performance.now() - since < tooSlowMs) {
        viewer.queue.flush();
        continue;
      }
      viewer.close(CLOSE.tooSlow, 'repeatedly too slow to receive this stream');
      this.remove(viewer);
      evicted += 1;
    }
    return evicted;
  }

  /** Closes the link and every viewer. */
  close(code: CloseCode, reason: string): void {
    if (this.closed) return;
    this.closed = true;
    this.unwatch();
    clearTimeout(this.linger);
    clearTimeout(this.keyframeTimer);
    this.agent.close();
    for (const viewer of [...this.viewers]) {
      viewer.close(code, reason);
      this.remove(viewer);
    }
    this.options.onClose();
  }

  private remove(viewer: Viewer): void {
    if (!this.viewers.delete(viewer)) return;
    this.droppedBefore += viewer.queue.droppedGroups;
    if (this.viewers.size > 0 || this.closed) return;
    this.linger = setTimeout(
      () => this.close(CLOSE.ended, 'the last viewer disconnected'),
      this.options.lingerMs,
    );
  }

  /**
   * The agent begins each link with the size, the config packet and its newest group of pictures. Packets of an
   * earlier link do not fit that, so the cache is cleared.
   */
  private attachLink(link: Link): void {
    this.link = link;
    this.cache.clear();
    for (const viewer of this.viewers) viewer.queue.restart();
    link.onMessage((message) => this.handlePacket(link, message));
  }

  private handlePacket(link: Link, message: LinkMessage): void {
    try {
      if (typeof message === 'string') throw new RangeError('a stream link must not carry text messages');
      assertPacket(message);
      this.options.traffic.received += 1;
      this.cache.push(message);
      for (const viewer of this.viewers) viewer.queue.push(message);
    } catch (error) {
      this.options.log.warn(
        { err: error, sessionId: this.options.session.id },
        'the agent sent a malformed packet',
      );
      link.close();
    }
  }

  /** Without a link there is no need to ask, because the next link begins with a keyframe. */
  private requestKeyframe(): void {
    if (this.keyframeTimer || !this.link) return;
    const wait = this.keyframeRequestedAt + this.options.keyframeIntervalMs - performance.now();
    this.keyframeTimer = setTimeout(
      () => {
        this.keyframeTimer = undefined;
        this.keyframeRequestedAt = performance.now();
        this.link?.send(encodeLinkMessage({ type: 'keyframe' }));
      },
      Math.max(0, wait),
    );
  }
}
