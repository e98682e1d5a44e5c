import { setTimeout as delay } from 'node:timers/promises';
import { type Bus, BusError, type Subscription } from '../bus/bus.ts';
import type { BusRequests, LeaseOrder } from '../bus/messages.ts';
import { controlDeadlineMs } from '../contract/sockets/control-methods.ts';
import { type Driver, DriverError, type Phone, type PhoneAdb } from '../drivers/driver.ts';
import { type LinkDialer, LinkError, type LinkHello } from '../link/link.ts';
import type { Log } from '../util/log.ts';
import { LogThrottle } from '../util/log-throttle.ts';
import { PauseWatch } from '../util/pause-watch.ts';
import { noSteps, type Steps } from '../util/steps.ts';
import type { AppSource } from './app-source.ts';
import { hedge } from './hedge.ts';
import type { LeaseRun } from './lease-run.ts';
import { type EndedLease, PhoneReconciler } from './phone-reconciler.ts';
import { ReportPlan } from './report-plan.ts';

const HEARTBEAT_MS = 2_000;
const REPORT_TIMEOUT_MS = 5_000;
/**
 * How long a heartbeat waits for the ends that are reported before it. Together with the heartbeat's own deadline,
 * this is less than the 10 s after which a host counts as lost.
 */
const ENDS_FIRST_MS = 2_000;
/**
 * Short enough that the control plane hears from a host within 10 s, even if several requests in a row reach the hung
 * one of two api processes.
 */
const REPORT_AGAIN_MS = 1_000;
/**
 * Pause after a report that was not answered. While the bus is unavailable, requests fail at once, so retrying is
 * cheap.
 */
const REPORT_RETRY_MS = 500;
const DIAL_TIMEOUT_MS = 5_000;
const SCREENSHOT_TIMEOUT_MS = controlDeadlineMs('host', 'screenshot');
const NOT_CONFIRMED =
  'the host could not reach the control plane before the last known end of the session, and stopped ' +
  'the phone';
const ADB_TIMEOUT_MS = 6_000;

export interface AgentOptions {
  hostId: string;
  hostName: string;
  bus: Bus;
  links: LinkDialer;
  drivers: Driver[];
  /** Source of the apps that sessions request. */
  apps: AppSource;
  log: Log;
  steps?: Steps;
  idleTimeoutMs: number;
  heartbeatMs?: number;
  /**
   * `confirmMs`: how long the control plane has to confirm that a lease expired. `suspendedMs`: how long an
   * unconfirmed lease stays suspended.
   */
  confirmMs?: number;
  suspendedMs?: number;
  pauses?: PauseWatch;
}

export interface AgentCounters {
  phones: number;
  /** Phones with a problem. */
  unusable: number;
  /** Leases that are being served. */
  leased: number;
  /** Consecutive reports that the control plane did not accept. */
  unacknowledgedReports: number;
}

/**
 * The device host. It reports its phones' status to the control plane every 2 s and at every change, and brings each
 * phone to the state that the answer orders. It never accesses the database and only opens outbound connections.
 */
export class Agent implements AsyncDisposable {
  private readonly options: AgentOptions;
  private readonly stopping = new AbortController();
  private readonly pauses: PauseWatch;
  private readonly reconcilers = new Map<string, PhoneReconciler>();
  private readonly phonesOf = new Map<Driver, Phone[]>();
  private readonly departing = new Set<Promise<void>>();
  private readonly plan: ReportPlan;
  private readonly throttle = new LogThrottle();
  private subscriptions: Subscription[] = [];
  private heartbeat: Promise<void> | null = null;
  /** Sessions whose end is being reported. */
  private readonly ending = new Set<string>();
  /** Reports of ended sessions that failed since the last one that was accepted. */
  private failedEnds = 0;
  /** Consecutive reports that were not accepted. */
  private unacknowledged = 0;
  /** Resolved to send a report now. */
  private wake = Promise.withResolvers<void>();
  /** Resolved when the control plane has answered the next report. */
  private answered = Promise.withResolvers<void>();

  constructor(options: AgentOptions) {
    this.options = options;
    this.pauses = options.pauses ?? new PauseWatch();
    this.plan = new ReportPlan({ heartbeatMs: options.heartbeatMs ?? HEARTBEAT_MS });
  }

  get counters(): AgentCounters {
    const counters = {
      phones: this.reconcilers.size,
      unusable: 0,
      leased: 0,
      unacknowledgedReports: this.unacknowledged,
    };
    for (const reconciler of this.reconcilers.values()) {
      const { usable, lease } = reconciler.status();
      if (!usable) counters.unusable += 1;
      if (lease) counters.leased += 1;
    }
    return counters;
  }

  async start(): Promise<void> {
    const { bus, hostId, drivers } = this.options;
    this.subscriptions = [
      bus.serve('host.orders', hostId, async ({ orders }) => {
        for (const order of orders) this.reconcilers.get(order.deviceId)?.apply(order);
        return {};
      }),
      bus.serve('host.dial', hostId, (request) => this.dial(request)),
    ];
    for (const driver of drivers) await driver.start((phones) => this.setPhones(driver, phones));
    this.heartbeat = this.beat();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stopping.abort();
    for (const subscription of this.subscriptions) subscription.close();
    await this.heartbeat;
    this.pauses[Symbol.dispose]();
    await Promise.all([...this.reconcilers.values()].map((reconciler) => reconciler.close()));
    await Promise.all(this.departing);
    for (const driver of this.options.drivers) await driver[Symbol.asyncDispose]();
  }

  /**
   * Resolves when the control plane knows the state of each of this driver's phones: the phone is available, serves
   * its lease again, or has a problem.
   * @throws the signal's reason if the signal is aborted first
   */
  async whenSettled(driver: Driver, signal: AbortSignal): Promise<void> {
    const aborted = Promise.withResolvers<never>();
    aborted.promise.catch(() => {});
    const onAbort = () => aborted.reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      signal.throwIfAborted();
      while (!this.isSettled(driver)) await Promise.race([this.answered.promise, aborted.promise]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  private isSettled(driver: Driver): boolean {
    const reconcilers = (this.phonesOf.get(driver) ?? []).map(({ description }) =>
      this.reconcilers.get(description.id),
    );
    return reconcilers.every(
      (reconciler) => reconciler && (reconciler.isSettled() || !reconciler.status().usable),
    );
  }

  private setPhones(driver: Driver, phones: Phone[]): void {
    this.phonesOf.set(driver, phones);
    const present = new Map([...this.phonesOf.values()].flat().map((phone) => [phone.description.id, phone]));
    for (const [id, reconciler] of this.reconcilers) {
      if (present.has(id)) continue;
      this.reconcilers.delete(id);
      const closing = reconciler.close().finally(() => this.departing.delete(closing));
      this.departing.add(closing);
    }
    for (const [id, phone] of present) {
      const reconciler = this.reconcilers.get(id);
      if (reconciler) reconciler.setPhone(phone);
      else this.reconcilers.set(id, this.keep(phone));
    }
    this.reportSoon();
  }

  private keep(phone: Phone): PhoneReconciler {
    const { log, apps, idleTimeoutMs, steps = noSteps, confirmMs, suspendedMs } = this.options;
    return new PhoneReconciler(phone, {
      log,
      steps,
      pauses: this.pauses,
      apps,
      idleTimeoutMs,
      onChange: () => this.reportSoon(),
      onEnded: (ended) => void this.reportEnd(ended),
      expire: (lease) => this.expire(lease),
      confirmMs,
      suspendedMs,
    });
  }

  private reportSoon(): void {
    this.wake.resolve();
  }

  private async beat(): Promise<void> {
    const { heartbeatMs = HEARTBEAT_MS } = this.options;
    const { signal } = this.stopping;
    while (!signal.aborted) {
      this.wake = Promise.withResolvers();
      const unheard = [...this.reconcilers.values()].flatMap(
        (reconciler) => reconciler.unacknowledgedEnd() ?? [],
      );
      const ends = Promise.all(unheard.map((ended) => this.reportEnd(ended)));
      if (unheard.length > 0)
        await Promise.race([ends, delay(ENDS_FIRST_MS, undefined, { signal }).catch(() => {})]);
      const isTaken = await this.report();
      const pause = new AbortController();
      const pauseMs = isTaken ? heartbeatMs : Math.min(REPORT_RETRY_MS, heartbeatMs);
      const timer = delay(pauseMs, undefined, { signal: AbortSignal.any([signal, pause.signal]) });
      await Promise.race([timer, this.wake.promise]).catch(() => {});
      pause.abort();
      timer.catch(() => {});
    }
  }

  /** Sends one report. Resolves with false if the next attempt should follow after the short retry pause. */
  private async report(): Promise<boolean> {
    const { bus, hostId, hostName, log } = this.options;
    const confirm = this.pauses.beginConfirmation();
    if (this.pauses.isInDoubt) this.plan.requireComplete();
    const { report, onTaken } = this.plan.next(
      [...this.reconcilers.values()].map((reconciler) => ({
        status: reconciler.status(),
        isSettled: reconciler.isSettled(),
      })),
    );
    try {
      const request = { hostName, ...report };
      const { orders, reportAll, refused } = await hedge(
        () => bus.request('control-plane.report', hostId, request, { timeoutMs: REPORT_TIMEOUT_MS }),
        REPORT_AGAIN_MS,
      );
      for (const order of orders) this.reconcilers.get(order.deviceId)?.apply(order);
      onTaken();
      this.answered.resolve();
      this.answered = Promise.withResolvers();
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

  /**
   * Reports to the control plane that a lease ended here. A report that does not arrive is repeated at the next
   * heartbeat. If the session was extended while the control plane was unreachable, it did not expire: its phone was
   * stopped, so it ends as `host_lost`.
   */
  private async reportEnd(ended: EndedLease): Promise<void> {
    const { log, hostId } = this.options;
    const { sessionId } = ended;
    if (this.ending.has(sessionId)) return;
    this.ending.add(sessionId);
    try {
      if (await this.end(ended)) await this.end({ ...ended, reason: 'host_lost', detail: NOT_CONFIRMED });
      if (this.failedEnds > 0)
        log.warn({ hostId, failed: this.failedEnds }, 'the control plane accepts ends of sessions again');
      this.failedEnds = 0;
    } catch (error) {
      this.failedEnds += 1;
      // Logged once, because every heartbeat repeats the report of each end.
      if (this.failedEnds === 1)
        log.warn(
          { hostId, sessionId, error },
          'the end of a session could not be reported to the control plane; retrying',
        );
    } finally {
      this.ending.delete(sessionId);
    }
  }

  private expire(lease: Pick<EndedLease, 'sessionId' | 'epoch'>): Promise<LeaseOrder | null> {
    return this.end({ ...lease, reason: 'expired', detail: null });
  }

  /**
   * Resolves with the lease if the control plane rejects the end because the session was extended, otherwise with
   * null.
   */
  private async end(ended: EndedLease): Promise<LeaseOrder | null> {
    const { bus, hostId } = this.options;
    const { lease } = await hedge(
      () => bus.request('control-plane.ended', hostId, ended, { timeoutMs: REPORT_TIMEOUT_MS }),
      REPORT_AGAIN_MS,
    );
    return lease ?? null;
  }

  private runOf(sessionId: string, epoch: number): LeaseRun {
    for (const { run } of this.reconcilers.values()) {
      if (run?.sessionId === sessionId && run.epoch === epoch && !run.end && !run.isSuspended) return run;
    }
    throw new Error(`no phone of this host serves session ${sessionId} at epoch ${epoch}`);
  }

  private async dial({
    ingest,
    ...hello
  }: BusRequests['host.dial']['request']): Promise<BusRequests['host.dial']['response']> {
    const run = this.runOf(hello.sessionId, hello.epoch);
    if (hello.purpose === 'adb') return this.dialAdb(run, ingest, hello);
    if (hello.purpose === 'screenshot') return this.dialScreenshot(run, ingest, hello);
    run.attach(await this.options.links.dial(ingest, hello, { timeoutMs: DIAL_TIMEOUT_MS }));
    return {};
  }

  /** A failure is returned as a message in `refused`. @throws Error when the session is not connected. */
  private async dialScreenshot(
    run: LeaseRun,
    ingest: string,
    hello: LinkHello,
  ): Promise<BusRequests['host.dial']['response']> {
    if (!run.connected) throw new Error(`session ${run.sessionId} is not connected yet`);
    const signal = AbortSignal.timeout(SCREENSHOT_TIMEOUT_MS);
    try {
      const png = await run.screenshot(signal);
      const link = await this.options.links.dial(ingest, hello, { timeoutMs: DIAL_TIMEOUT_MS });
      link.send(png);
      link.close();
      return {};
    } catch (error) {
      if (error instanceof DriverError) return { refused: error.message };
      if (signal.aborted) return { refused: `timed out after ${SCREENSHOT_TIMEOUT_MS / 1000} s; try again` };
      if (error instanceof LinkError)
        return { refused: `the host could not send it (${error.message}); try again` };
      this.options.log.warn({ sessionId: run.sessionId, error }, 'screenshot failed in the driver');
      return { refused: 'the driver failed; the log of the host says why' };
    }
  }

  private async dialAdb(
    run: LeaseRun,
    ingest: string,
    hello: LinkHello,
  ): Promise<BusRequests['host.dial']['response']> {
    let phone: PhoneAdb;
    try {
      phone = await run.adb(AbortSignal.timeout(ADB_TIMEOUT_MS));
    } catch (error) {
      if (error instanceof DriverError && error.kind === 'unsupported') return { refused: error.message };
      throw error;
    }
    try {
      run.attachAdb(await this.options.links.dial(ingest, hello, { timeoutMs: DIAL_TIMEOUT_MS }), phone);
    } catch (error) {
      await phone[Symbol.asyncDispose]();
      throw error;
    }
    return {};
  }
}
