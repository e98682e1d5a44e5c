import { setTimeout as delay } from 'node:timers/promises';
import { type Bus, BusError } from '../bus/bus.ts';
import type { Log } from '../util/log.ts';
import { LogThrottle } from '../util/log-throttle.ts';
import type { PauseWatch } from '../util/pause-watch.ts';
import type { EndReporter } from './end-reporter.ts';
import { requestHedged } from './hedge.ts';
import type { PhoneReconciler } from './phone-reconciler.ts';
import { ReportPlan } from './report-plan.ts';

const HEARTBEAT_MS = 2_000;
/**
 * How long a heartbeat waits for the ends that are reported before it. Together with the heartbeat's own deadline,
 * this is less than the 10 s after which a host counts as lost.
 */
const ENDS_FIRST_MS = 2_000;
/**
 * Pause after a report that was not answered. While the bus is unavailable, requests fail at once, so retrying is
 * cheap.
 */
const REPORT_RETRY_MS = 500;

export interface StatusReporterOptions {
  bus: Bus;
  hostId: string;
  hostName: string;
  log: Log;
  pauses: PauseWatch;
  ends: EndReporter;
  /** The phones of the host, by their ids. */
  reconcilers: ReadonlyMap<string, PhoneReconciler>;
  heartbeatMs?: number;
}

/**
 * Reports the status of the host's phones to the control plane at each heartbeat and at each change, and applies the
 * orders of the answers.
 */
export class StatusReporter implements AsyncDisposable {
  /** Consecutive reports that were not accepted. */
  unacknowledged = 0;
  private readonly options: StatusReporterOptions;
  private readonly heartbeatMs: number;
  private readonly plan: ReportPlan;
  private readonly throttle = new LogThrottle();
  private readonly stopping = new AbortController();
  private heartbeat: Promise<void> | null = null;
  /** Resolved to send a report now. */
  private wake = Promise.withResolvers<void>();
  private nextAnswer = Promise.withResolvers<void>();

  constructor(options: StatusReporterOptions) {
    this.options = options;
    this.heartbeatMs = options.heartbeatMs ?? HEARTBEAT_MS;
    this.plan = new ReportPlan({ heartbeatMs: this.heartbeatMs });
  }

  /** Resolves when the control plane has answered the next report. */
  get answered(): Promise<void> {
    return this.nextAnswer.promise;
  }

  start(): void {
    this.heartbeat = this.beat();
  }

  reportSoon(): void {
    this.wake.resolve();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stopping.abort();
    await this.heartbeat;
  }

  private async beat(): Promise<void> {
    const { reconcilers, ends } = this.options;
    const { signal } = this.stopping;
    while (!signal.aborted) {
      this.wake = Promise.withResolvers();
      const unacknowledgedEnds = [...reconcilers.values()].flatMap(
        (reconciler) => reconciler.unacknowledgedEnd() ?? [],
      );
      const reported = Promise.all(unacknowledgedEnds.map((ended) => ends.report(ended)));
      if (unacknowledgedEnds.length > 0)
        await Promise.race([reported, delay(ENDS_FIRST_MS, undefined, { signal }).catch(() => {})]);
      const isAnswered = await this.report();
      const pause = new AbortController();
      const pauseMs = isAnswered ? this.heartbeatMs : Math.min(REPORT_RETRY_MS, this.heartbeatMs);
      const timer = delay(pauseMs, undefined, { signal: AbortSignal.any([signal, pause.signal]) });
      await Promise.race([timer, this.wake.promise]).catch(() => {});
      pause.abort();
      timer.catch(() => {});
    }
  }

  /** Sends one report. Resolves with false if the next attempt should follow after the short retry pause. */
  private async report(): Promise<boolean> {
    const { bus, hostId, hostName, log, pauses, reconcilers } = this.options;
    const confirm = pauses.beginConfirmation();
    if (pauses.isInDoubt) this.plan.requireComplete();
    const { report, onAccepted } = this.plan.next(
      [...reconcilers.values()].map((reconciler) => ({
        status: reconciler.status(),
        isSettled: reconciler.isSettled(),
      })),
    );
    try {
      const request = { hostName, ...report };
      const { orders, reportAll, refused } = await requestHedged(
        bus,
        'control-plane.report',
        hostId,
        request,
      );
      for (const order of orders) reconcilers.get(order.deviceId)?.apply(order);
      onAccepted();
      this.nextAnswer.resolve();
      this.nextAnswer = Promise.withResolvers();
      if (refused) {
        this.throttle.log('refused', (suppressed) =>
          log.warn({ hostId, refused, suppressed }, 'control plane rejected phones of this host'),
        );
      }
      // The answer to a partial report says nothing about the leases of the other phones.
      if (report.complete) confirm();
      if (reportAll) {
        this.plan.requireComplete();
        this.reportSoon();
      }
      if (this.unacknowledged > 0)
        log.warn({ hostId, unacknowledged: this.unacknowledged }, 'control plane accepts reports again');
      this.unacknowledged = 0;
      return true;
    } catch (error) {
      this.unacknowledged += 1;
      // Logged once, because the reports that fail every two seconds after it would only repeat it.
      if (!this.stopping.signal.aborted && this.unacknowledged === 1)
        log.warn({ hostId, reason: (error as Error).message }, 'control plane did not accept the report');
      // A report that was answered with an error would fail again, so only one without an answer is retried soon.
      return error instanceof BusError && error.kind === 'failed';
    }
  }
}
