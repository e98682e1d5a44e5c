import type { Bus, Subscription } from '../bus/bus.ts';
import { NOT_SERVED } from '../bus/messages.ts';
import type { Driver, Phone } from '../drivers/driver.ts';
import type { LinkDialer } from '../link/link.ts';
import { PauseWatch } from '../util/pause-watch.ts';
import { noSteps, type Steps } from '../util/steps.ts';
import { unlessAborted } from '../util/unless-aborted.ts';
import { EndReporter } from './end-reporter.ts';
import type { LeaseRun, LeaseRunOptions } from './lease-run.ts';
import { LinkOpener } from './link-opener.ts';
import { PhoneReconciler } from './phone-reconciler.ts';
import { StatusReporter } from './status-reporter.ts';

/** Options of the host, and of the leases that it serves. The agent disposes of `recordings`. */
export interface AgentOptions extends Omit<LeaseRunOptions, 'steps' | 'pauses' | 'onChange' | 'expire'> {
  hostId: string;
  hostName: string;
  bus: Bus;
  links: LinkDialer;
  drivers: Driver[];
  steps?: Steps;
  heartbeatMs?: number;
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
  private readonly pauses: PauseWatch;
  private readonly reconcilers = new Map<string, PhoneReconciler>();
  private readonly phonesOf = new Map<Driver, Phone[]>();
  private readonly departing = new Set<Promise<void>>();
  private readonly ends: EndReporter;
  private readonly reporter: StatusReporter;
  private readonly linkOpener: LinkOpener;
  private subscriptions: Subscription[] = [];

  constructor(options: AgentOptions) {
    this.options = options;
    this.pauses = options.pauses ?? new PauseWatch();
    this.ends = new EndReporter(options);
    const { bus, hostId, hostName, log, heartbeatMs } = options;
    this.reporter = new StatusReporter({
      bus,
      hostId,
      hostName,
      log,
      heartbeatMs,
      pauses: this.pauses,
      ends: this.ends,
      reconcilers: this.reconcilers,
    });
    this.linkOpener = new LinkOpener({
      links: options.links,
      log,
      runOf: (sessionId, epoch) => this.runOf(sessionId, epoch),
    });
  }

  get counters(): AgentCounters {
    const counters = {
      phones: this.reconcilers.size,
      unusable: 0,
      leased: 0,
      unacknowledgedReports: this.reporter.unacknowledged,
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
      bus.serve('host.call', hostId, (request) => this.runOf(request.sessionId, request.epoch).call(request)),
      bus.serve('host.dial', hostId, (request) => this.linkOpener.open(request)),
    ];
    for (const driver of drivers) await driver.start((phones) => this.setPhones(driver, phones));
    this.reporter.start();
    void this.reporter.answered.then(() => this.options.recordings?.start());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const subscription of this.subscriptions) subscription.close();
    await this.reporter[Symbol.asyncDispose]();
    this.pauses[Symbol.dispose]();
    await Promise.all([...this.reconcilers.values()].map((reconciler) => reconciler.close()));
    await Promise.all(this.departing);
    for (const driver of this.options.drivers) await driver[Symbol.asyncDispose]();
    await this.options.recordings?.[Symbol.asyncDispose]();
  }

  /**
   * Resolves when the control plane knows the state of each of this driver's phones: the phone is available, serves
   * its lease again, or has a problem.
   * @throws the signal's reason if the signal is aborted first
   */
  async whenSettled(driver: Driver, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    while (!this.isSettled(driver)) await unlessAborted(this.reporter.answered, signal);
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
      else this.reconcilers.set(id, this.newReconciler(phone));
    }
    this.reporter.reportSoon();
  }

  private newReconciler(phone: Phone): PhoneReconciler {
    return new PhoneReconciler(phone, {
      ...this.options,
      steps: this.options.steps ?? noSteps,
      pauses: this.pauses,
      onChange: () => this.reporter.reportSoon(),
      onEnded: (ended) => void this.ends.report(ended),
      expire: (lease) => this.ends.expire(lease),
    });
  }

  /** @throws Error when this host does not serve the lease. */
  private runOf(sessionId: string, epoch: number): LeaseRun {
    for (const { run } of this.reconcilers.values()) {
      if (run?.sessionId === sessionId && run.epoch === epoch && !run.end && !run.isSuspended) return run;
    }
    throw new Error(`${NOT_SERVED} ${sessionId} at epoch ${epoch}`);
  }
}
