import type { SocketPurpose } from '../access/socket-token.ts';
import type { Bus } from '../bus/bus.ts';
import type { Controller } from '../contract/sockets/control-notifications.ts';
import type { Link } from '../link/link.ts';
import type { TicketIssuer } from '../link/ticket-issuer.ts';
import type { SessionRow } from '../store/entities.ts';
import type { Log } from '../util/log.ts';
import type { Step, Steps } from '../util/steps.ts';

export interface AgentLinkTiming {
  /** Total time for the host's answer and the arrival of its link. */
  attemptMs: number;
  /** Pause before the next attempt: the initial and the maximum value. It doubles in between. */
  minPauseMs: number;
  maxPauseMs: number;
}

export const AGENT_LINK_TIMING: AgentLinkTiming = { attemptMs: 3000, minPauseMs: 100, maxPauseMs: 2000 };

/**
 * After this many consecutive failures (13 s of pauses) a warning is logged, because hosts may be unable to reach
 * this gateway.
 */
const FAILURES_BEFORE_WARNING = 10;

/** What the links of all sessions of a gateway share. */
export interface AgentLinkContext {
  bus: Pick<Bus, 'request'>;
  tickets: TicketIssuer;
  log: Log;
  steps: Steps;
  timing: AgentLinkTiming;
}

/** What uses the link of a session. */
export interface AgentLinkUser {
  /** The key of the client that wants to control the phone, if it is known. */
  readonly controller?: Controller | undefined;
  onLinkUp(link: Link): void;
  onLinkDown(): void;
}

/** adb has no persistent link, because data in flight is lost together with its link. */
type PersistentPurpose = Exclude<SocketPurpose, 'adb'>;

const ignore = () => {};

/**
 * Maintains one session's link to its agent. It asks the host to dial, repeatedly while there is no link, because
 * messages may be lost, hosts may restart, and a session that is still connecting has nothing to send yet.
 */
export class AgentLink {
  private readonly session: SessionRow;
  private readonly purpose: PersistentPurpose;
  private readonly context: AgentLinkContext;
  private readonly user: AgentLinkUser;
  private link: Link | null = null;
  private closed = false;
  /** Ends the wait that the loop is in. */
  private interrupt: () => void = ignore;
  /** The length of the next pause. */
  private pauseMs: number;
  private pausing = false;
  /** Consecutive failed requests to the host. */
  private failures = 0;
  /** Measures the wait for the first link. */
  private readonly firstLinkWait: Step;

  constructor(
    session: SessionRow,
    purpose: PersistentPurpose,
    context: AgentLinkContext,
    user: AgentLinkUser,
  ) {
    this.session = session;
    this.purpose = purpose;
    this.context = context;
    this.user = user;
    this.pauseMs = context.timing.minPauseMs;
    this.firstLinkWait = context.steps.begin(`${purpose}.link`, session.id);
    // Not before the caller has its first client.
    queueMicrotask(() => void this.run());
  }

  /** Ends the current pause, because the session became connected and an attempt is likely to succeed. */
  retryNow(): void {
    if (this.pausing) this.interrupt();
  }

  /** No callback follows, not even `onLinkDown`. */
  close(): void {
    this.closed = true;
    this.firstLinkWait.end('abandoned');
    this.link?.close();
    this.interrupt();
  }

  /** Asks until there is a link. A link in use has a listener and no function that waits, which saves memory. */
  private async run(): Promise<void> {
    while (!this.closed) {
      const started = performance.now();
      const link = await this.attempt();
      if (link) {
        this.use(link, started);
        return;
      }
      await this.pause();
    }
  }

  private async attempt(): Promise<Link | null> {
    const { session, purpose, user } = this;
    const { bus, tickets, timing } = this.context;
    const by = user.controller;
    const { promise, resolve } = Promise.withResolvers<Link | null>();
    const want = { sessionId: session.id, epoch: session.epoch, purpose };
    const { ticket, cancel } = tickets.issue(want, resolve);
    const timer = setTimeout(resolve, timing.attemptMs, null);
    this.interrupt = () => resolve(null);
    bus
      .request(
        'host.dial',
        session.hostId,
        { ...want, ingest: tickets.ingest, ticket, ...(by && { by }) },
        { timeoutMs: timing.attemptMs },
      )
      .catch((error: unknown) => {
        this.logFailure(error);
        resolve(null);
      });
    const link = await promise;
    clearTimeout(timer);
    cancel();
    if (link) this.failures = 0;
    return link;
  }

  private logFailure(error: unknown): void {
    const { session, purpose } = this;
    const { tickets, log } = this.context;
    this.failures += 1;
    const fields = { err: error, sessionId: session.id, purpose, ingest: tickets.ingest };
    if (this.failures === FAILURES_BEFORE_WARNING)
      log.warn(fields, 'session has no link from its host; requesting it again');
    else log.debug(fields, 'request to a host for a link failed');
  }

  private use(link: Link, started: number): void {
    if (this.closed) {
      link.close();
      return;
    }
    this.firstLinkWait.end();
    this.interrupt = ignore;
    this.link = link;
    this.user.onLinkUp(link);
    link.onClose(() => void this.replaceLink(started));
  }

  private async replaceLink(started: number): Promise<void> {
    this.link = null;
    if (this.closed) return;
    this.user.onLinkDown();
    // A link that is closed right after it opened must not cause a tight reconnect loop.
    const { minPauseMs, maxPauseMs } = this.context.timing;
    if (performance.now() - started > maxPauseMs) this.pauseMs = minPauseMs;
    await this.pause();
    await this.run();
  }

  private async pause(): Promise<void> {
    if (this.closed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.pauseMs);
    this.pauseMs = Math.min(this.pauseMs * 2, this.context.timing.maxPauseMs);
    this.interrupt = resolve;
    this.pausing = true;
    await promise;
    this.pausing = false;
    clearTimeout(timer);
  }
}
