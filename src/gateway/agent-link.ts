import type { Bus } from '../bus/bus.ts';
import type { Link } from '../link/link.ts';
import type { TicketDesk } from '../link/ticket-desk.ts';
import type { SessionRow } from '../store/store.ts';
import type { Log } from '../util/log.ts';
import type { SocketPurpose } from '../util/socket-token.ts';
import type { Step, Steps } from '../util/steps.ts';

export interface AgentLinkTiming {
  /** How long the host may take to answer, and how long its link may take to come, together. */
  attemptMs: number;
  /** Pause before the next attempt: at first, and at most; it doubles in between. */
  minPauseMs: number;
  maxPauseMs: number;
}

export const AGENT_LINK_TIMING: AgentLinkTiming = { attemptMs: 3000, minPauseMs: 100, maxPauseMs: 2000 };

/** After so many failures in a row, 13 s of pauses, an operator should hear why: hosts may not reach this gateway. */
const FAILURES_WORTH_A_WARNING = 10;

export interface AgentLinkOptions {
  session: SessionRow;
  /** adb has no link that is kept up: what was under way on a lost one is lost. */
  purpose: Exclude<SocketPurpose, 'adb'>;
  bus: Pick<Bus, 'request'>;
  tickets: TicketDesk;
  log: Log;
  steps: Steps;
  timing: AgentLinkTiming;
  onUp(link: Link): void;
  onDown(): void;
}

/**
 * Keeps one session's link to its agent up: asks the host to dial, again and again while there is no link, since
 * messages may be lost, hosts restart, and a session that is still connecting has nothing to carry yet.
 */
export class AgentLink {
  private readonly options: AgentLinkOptions;
  private link: Link | null = null;
  private closed = false;
  /** Ends what the loop waits for now. */
  private interrupt: () => void = () => {};
  private pausing = false;
  /** Requests to the host in a row that failed. */
  private failures = 0;
  /** The wait for the first link. */
  private readonly wanted: Step;

  constructor(options: AgentLinkOptions) {
    const { steps, purpose, session } = options;
    this.options = options;
    this.wanted = steps.begin(`${purpose}.link`, session.id);
    void this.run();
  }

  /** Now is a good time to try: the session became connected. */
  nudge(): void {
    if (this.pausing) this.interrupt();
  }

  /** Nothing is called after this, `onDown` neither. */
  close(): void {
    this.closed = true;
    this.wanted.end('abandoned');
    this.link?.close();
    this.interrupt();
  }

  private async run(): Promise<void> {
    const { minPauseMs, maxPauseMs } = this.options.timing;
    let pause = minPauseMs;
    while (!this.closed) {
      const started = performance.now();
      const link = await this.attempt();
      if (link) await this.carry(link);
      // A link that is cut again at once must not be dialled in a tight circle.
      if (link && performance.now() - started > maxPauseMs) pause = minPauseMs;
      await this.wait(pause);
      pause = Math.min(pause * 2, maxPauseMs);
    }
  }

  private async attempt(): Promise<Link | null> {
    const { session, purpose, bus, tickets, timing } = this.options;
    const { promise, resolve } = Promise.withResolvers<Link | null>();
    const want = { sessionId: session.id, epoch: session.epoch, purpose };
    const { ticket, cancel } = tickets.issue(want, resolve);
    const timer = setTimeout(resolve, timing.attemptMs, null);
    this.interrupt = () => resolve(null);
    bus
      .request(
        'host.dial',
        session.hostId,
        { ...want, ingest: tickets.ingest, ticket },
        { timeoutMs: timing.attemptMs },
      )
      .catch((error: unknown) => {
        this.note(error);
        resolve(null);
      });
    const link = await promise;
    clearTimeout(timer);
    cancel();
    if (link) this.failures = 0;
    return link;
  }

  private note(error: unknown): void {
    const { session, purpose, tickets, log } = this.options;
    this.failures += 1;
    const fields = { err: error, sessionId: session.id, purpose, ingest: tickets.ingest };
    if (this.failures === FAILURES_WORTH_A_WARNING)
      log.warn(fields, 'a session has no link from its host; it is asked on and on');
    else log.debug(fields, 'the host was asked for a link in vain');
  }

  private async carry(link: Link): Promise<void> {
    if (this.closed) {
      link.close();
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.wanted.end();
    this.link = link;
    this.interrupt = resolve;
    this.options.onUp(link);
    link.onClose(resolve);
    await promise;
    this.link = null;
    if (!this.closed) this.options.onDown();
  }

  private async wait(ms: number): Promise<void> {
    if (this.closed) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    this.interrupt = resolve;
    this.pausing = true;
    await promise;
    this.pausing = false;
    clearTimeout(timer);
  }
}
