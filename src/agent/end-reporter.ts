import type { Bus } from '../bus/bus.ts';
import type { LeaseOrder } from '../bus/messages.ts';
import type { Log } from '../util/log.ts';
import { requestHedged } from './hedge.ts';
import type { EndedLease } from './phone-reconciler.ts';

const NOT_CONFIRMED =
  'the host could not reach the control plane before the last known end of the session, and stopped ' +
  'the phone';

/** Reports to the control plane that leases have ended on this host. */
export class EndReporter {
  private readonly options: { bus: Bus; hostId: string; log: Log };
  /** Sessions whose end is being reported. */
  private readonly reporting = new Set<string>();
  /** Reports that failed since the last one that was accepted. */
  private failed = 0;

  constructor(options: { bus: Bus; hostId: string; log: Log }) {
    this.options = options;
  }

  /**
   * Never rejects. A report that does not arrive is repeated at the next heartbeat. If the session was extended while
   * the control plane was unreachable, it did not expire: its phone was stopped, so it ends as `host_lost`.
   */
  async report(ended: EndedLease): Promise<void> {
    const { log, hostId } = this.options;
    const { sessionId } = ended;
    if (this.reporting.has(sessionId)) return;
    this.reporting.add(sessionId);
    try {
      if (await this.send(ended)) await this.send({ ...ended, reason: 'host_lost', detail: NOT_CONFIRMED });
      if (this.failed > 0)
        log.warn({ hostId, failed: this.failed }, 'the control plane accepts ends of sessions again');
      this.failed = 0;
    } catch (error) {
      this.failed += 1;
      // Logged once, because every heartbeat repeats the report of each end.
      if (this.failed === 1)
        log.warn(
          { hostId, sessionId, err: error },
          'the end of a session could not be reported to the control plane; retrying',
        );
    } finally {
      this.reporting.delete(sessionId);
    }
  }

  /** Asks the control plane to end a session as expired. Resolves with the lease if the session was extended. */
  expire(lease: Pick<EndedLease, 'sessionId' | 'epoch'>): Promise<LeaseOrder | null> {
    return this.send({ ...lease, reason: 'expired', detail: null });
  }

  /**
   * Resolves with the lease if the control plane rejects the end because the session was extended, otherwise with
   * null.
   */
  private async send(ended: EndedLease): Promise<LeaseOrder | null> {
    const { bus, hostId } = this.options;
    const { lease } = await requestHedged(bus, 'control-plane.ended', hostId, ended);
    return lease ?? null;
  }
}
