import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { EndReason } from '../contract/http/session.ts';
import { CLOSE, CLOSE_UNKNOWN, type CloseCode, closeFor } from '../contract/sockets/close-codes.ts';
import { assertPacket, type StreamLayout } from '../contract/sockets/stream-packets.ts';
import { AgentLink, type AgentLinkContext, type AgentLinkUser } from '../gateway/agent-link.ts';
import type { SessionListener, SessionWatch } from '../gateway/session-watch.ts';
import type { Link, LinkMessage } from '../link/link.ts';
import { encodeLinkMessage } from '../link/messages.ts';
import { GopCache } from '../media/gop-cache.ts';
import type { PacketQueueOptions } from '../media/packet-queue.ts';
import type { SessionRow } from '../store/entities.ts';
import { type StreamTraffic, Viewer } from './viewer.ts';

/** What the relays of all sessions of a gateway share. */
export interface RelayContext {
  watch: SessionWatch;
  link: AgentLinkContext;
  traffic: StreamTraffic;
  queue: PacketQueueOptions | undefined;
  /** How long the link stays up after the last viewer has disconnected. */
  lingerMs: number;
  /** Minimum interval between keyframe requests to the phone, however many viewers need one. */
  keyframeIntervalMs: number;
  /** Called once, when a relay closes, so that its owner can discard it. */
  onClose(relay: Relay): void;
}

/**
 * One session's stream, from its agent to every viewer on this gateway. It exists while there are viewers, and for
 * `lingerMs` after the last one.
 */
export class Relay implements AgentLinkUser, SessionListener {
  readonly session: SessionRow;
  readonly viewers = new Set<Viewer>();
  /** Groups of pictures dropped for viewers that have disconnected since. */
  private droppedBefore = 0;
  private readonly context: RelayContext;
  private readonly cache = new GopCache();
  private readonly agent: AgentLink;
  private link: Link | null = null;
  private linger: NodeJS.Timeout | undefined;
  private keyframeTimer: NodeJS.Timeout | undefined;
  private keyframeRequestedAt = Number.NEGATIVE_INFINITY;
  private closed = false;

  constructor(session: SessionRow, context: RelayContext) {
    this.session = session;
    this.context = context;
    context.watch.watch(session, this);
    this.agent = new AgentLink(session, 'stream', context.link, this);
  }

  get droppedGroups(): number {
    let sum = this.droppedBefore;
    for (const viewer of this.viewers) sum += viewer.queue.droppedGroups;
    return sum;
  }

  /**
   * Returns the new viewer, which its owner removes when its socket is closed.
   * @param transport the connection under the WebSocket
   */
  add(socket: WebSocket, transport: Duplex, layout: StreamLayout): Viewer {
    clearTimeout(this.linger);
    const { traffic, link, queue } = this.context;
    const viewer = new Viewer(socket, transport, {
      layout,
      requestKeyframe: this.requestKeyframe,
      traffic,
      firstFrame: link.steps.begin('stream.first-frame', this.session.id),
      queue,
    });
    this.viewers.add(viewer);
    for (const packet of this.cache.replay()) viewer.queue.push(packet);
    // Before the first frame no request is needed, because the phone is already about to send a keyframe.
    if (this.cache.needsKeyframe && this.cache.size) this.requestKeyframe();
    return viewer;
  }

  remove(viewer: Viewer): void {
    viewer.firstFrame.end('abandoned');
    if (!this.viewers.delete(viewer)) return;
    this.droppedBefore += viewer.queue.droppedGroups;
    if (this.viewers.size > 0 || this.closed) return;
    this.linger = setTimeout(
      () => this.close(CLOSE.ended, 'the last viewer disconnected'),
      this.context.lingerMs,
    );
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
    this.context.watch.unwatch(this.session.id, this);
    clearTimeout(this.linger);
    clearTimeout(this.keyframeTimer);
    this.agent.close();
    for (const viewer of [...this.viewers]) {
      viewer.close(code, reason);
      this.remove(viewer);
    }
    this.context.onClose(this);
  }

  onSessionChange({ status }: SessionRow): void {
    if (status === 'connected') this.agent.retryNow();
  }

  onSessionEnd(endReason: EndReason, detail: string | null): void {
    const { code, reason } = closeFor(endReason, detail);
    this.close(code, reason);
  }

  onSessionUnknown(): void {
    this.close(CLOSE_UNKNOWN.code, CLOSE_UNKNOWN.reason);
  }

  /**
   * The agent begins each link with the size, the config packet and its newest group of pictures. Packets of an
   * earlier link do not fit that, so the cache is cleared.
   */
  onLinkUp(link: Link): void {
    this.link = link;
    this.cache.clear();
    for (const viewer of this.viewers) viewer.queue.restart();
    link.onMessage((message) => this.handlePacket(link, message));
  }

  onLinkDown(): void {
    this.link = null;
  }

  private handlePacket(link: Link, message: LinkMessage): void {
    try {
      if (typeof message === 'string') throw new RangeError('a stream link must not carry text messages');
      assertPacket(message);
      this.context.traffic.received += 1;
      this.cache.push(message);
      for (const viewer of this.viewers) viewer.queue.push(message);
    } catch (error) {
      this.context.link.log.warn(
        { err: error, sessionId: this.session.id },
        'the agent sent a malformed packet',
      );
      link.close();
    }
  }

  /** Without a link there is no need to ask, because the next link begins with a keyframe. */
  private readonly requestKeyframe = (): void => {
    if (this.keyframeTimer || !this.link) return;
    const wait = this.keyframeRequestedAt + this.context.keyframeIntervalMs - performance.now();
    this.keyframeTimer = setTimeout(
      () => {
        this.keyframeTimer = undefined;
        this.keyframeRequestedAt = performance.now();
        this.link?.send(encodeLinkMessage({ type: 'keyframe' }));
      },
      Math.max(0, wait),
    );
  };
}
