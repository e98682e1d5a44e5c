import {
  type AppReport,
  type BusRequests,
  type FileTask,
  type LeaseOrder,
  NOT_SERVED,
} from '../bus/messages.ts';
import type { EndReason } from '../contract/http/session.ts';
import type { Controller } from '../contract/sockets/control-notifications.ts';
import {
  DriverError,
  type Phone,
  type PhoneAdb,
  type PhoneFiles,
  type PhoneSession,
} from '../drivers/driver.ts';
import type { Link } from '../link/link.ts';
import { withDeadline } from '../util/deadline.ts';
import type { Log } from '../util/log.ts';
import type { PauseWatch } from '../util/pause-watch.ts';
import type { Step, Steps } from '../util/steps.ts';
import { AppInstaller } from './app-installer.ts';
import type { AppSource } from './app-source.ts';
import type { AppiumCommand } from './appium/appium-server.ts';
import { LeaseAppium } from './appium/lease-appium.ts';
import { LeaseAutomation } from './lease-automation.ts';
import { LeaseExpiry } from './lease-expiry.ts';
import { LeaseLinks } from './lease-links.ts';
import type { LeaseRecorder } from './recording/lease-recorder.ts';
import type { Recordings } from './recording/recordings.ts';

/** Bringing a phone up takes under a second; the control plane gives up after 60 s. */
const OPEN_TIMEOUT_MS = 50_000;
const CLOSE_TIMEOUT_MS = 10_000;
const NOT_CONNECTED = 'the session is not connected yet; try again when its status is connected';

/** How a lease ended on the host's side, before the control plane ended it. */
export interface LeaseEnd {
  reason: EndReason;
  detail: string | null;
}

export interface LeaseRunOptions {
  log: Log;
  steps: Steps;
  pauses: PauseWatch;
  apps: AppSource;
  /** Absent: sessions are not recorded. */
  recordings?: Recordings | undefined;
  /** How to start Appium for WebDriver sessions that ask for one of its drivers; absent: this host does not have it. */
  appium?: AppiumCommand | null;
  /** Time without any link after which the session ends, in milliseconds. 0: never. */
  idleTimeoutMs: number;
  /** Called when the status of the phone or its lease changed, so that it is reported now and not at the next heartbeat. */
  onChange: () => void;
  /**
   * Asks the control plane to end the session as expired. Resolves with the lease if it was extended, or null if it
   * has ended.
   */
  expire: (lease: Pick<LeaseOrder, 'sessionId' | 'epoch'>) => Promise<LeaseOrder | null>;
  /** How long the control plane has to confirm that a lease expired. */
  confirmMs?: number;
  /** How long an unconfirmed lease stays suspended. */
  suspendedMs?: number;
}

/**
 * One lease on one phone. It starts the phone and serves its screen and controls to the gateways that connect.
 *
 * While the lease is suspended (`lease-expiry.ts`), every link is closed and new links are rejected, so the session has
 * ended for its client whatever the state of the control plane, but the phone keeps its state.
 */
export class LeaseRun {
  readonly sessionId: string;
  readonly epoch: number;
  connected = false;
  /** Set once, when the lease ended on the host's side. The run holds the phone until it is stopped. */
  end: LeaseEnd | null = null;
  /** The control plane already knows about the end. */
  isEndConfirmed = false;
  private readonly phone: Phone;
  private readonly options: LeaseRunOptions;
  private readonly stopping = new AbortController();
  private readonly opened: Promise<void>;
  private readonly start: Step;
  private session: PhoneSession | null = null;
  private readonly links: LeaseLinks;
  private readonly recorder: LeaseRecorder | null;
  private readonly installer: AppInstaller;
  private readonly automation: LeaseAutomation;
  private readonly expiry: LeaseExpiry;
  private idle: NodeJS.Timeout | undefined;

  constructor(phone: Phone, lease: LeaseOrder, options: LeaseRunOptions) {
    this.phone = phone;
    const { sessionId, epoch } = lease;
    this.sessionId = sessionId;
    this.epoch = epoch;
    this.options = options;
    this.start = options.steps.begin('phone.start', sessionId);
    const { log, pauses, confirmMs, suspendedMs } = options;
    const recorder = options.recordings?.begin(lease) ?? null;
    this.recorder = recorder;
    this.links = new LeaseLinks({
      log,
      pauses,
      recorder,
      requestKeyframe: () => this.session?.requestKeyframe(),
      onEmpty: () => this.watchIdle(),
      onDoubt: () => options.onChange(),
    });
    this.installer = new AppInstaller({
      apps: options.apps,
      lease: { sessionId, epoch },
      log,
      onChange: options.onChange,
      onProgress: (progress) => {
        recorder?.clients.install(progress.params);
        this.links.controls?.notify(progress);
      },
    });
    const { id: deviceId } = phone.description;
    // Without an adb serial, drivers for Android find no device, and never one of another session.
    const capabilities = { 'appium:udid': deviceId, ...phone.appiumCapabilities };
    this.automation = new LeaseAutomation({
      recorder,
      appium: new LeaseAppium({ command: options.appium ?? null, capabilities, log }),
      onChange: () => this.watchIdle(),
      onIdle: ({ idleMs, endsSession }) => {
        const detail = `no WebDriver command arrived for ${idleMs / 1000} s (newCommandTimeout)`;
        this.links.controls?.endAutomation();
        if (endsSession) this.finish('idle', detail);
      },
    });
    this.expiry = new LeaseExpiry({
      sessionId,
      log,
      confirmMs,
      suspendedMs,
      stopping: this.stopping.signal,
      hasEnded: () => this.end !== null,
      expire: () => options.expire({ sessionId, epoch }),
      onExtended: (extended) => this.renew(extended),
      onSuspended: () => this.onSuspended(),
      onResumed: () => this.watchIdle(),
      onExpired: (isConfirmed) => this.finish('expired', null, { isConfirmed }),
    });
    this.renew(lease);
    this.watchIdle();
    this.opened = this.open();
  }

  /** Applies a new or repeated order: the remaining time of the lease, the app to install, and limits. */
  renew({ remainingMs, app, recording }: Pick<LeaseOrder, 'remainingMs' | 'app' | 'recording'>): void {
    if (this.end) return;
    if (recording) this.recorder?.limit(recording.maxBytes);
    if (app) this.installer.want(app);
    this.expiry.renew(remainingMs);
  }

  /** Milliseconds until the lease expires, by this host's own clock. */
  get remainingMs(): number {
    return this.expiry.remainingMs;
  }

  /** The lease has expired and the control plane has not confirmed that. No link is open in this state. */
  get isSuspended(): boolean {
    return this.expiry.isSuspended;
  }

  /** Status of the app that the lease requests, or null. */
  get app(): AppReport | null {
    return this.installer.report;
  }

  /** Attaches a gateway's link. A control link waits until the phone is ready. `by`: the key of its client. */
  attach(link: Link, by?: Controller): void {
    if (this.isClosed) link.close();
    else this.links.attach(link, by);
    this.watchIdle();
  }

  /**
   * Opens the phone's adb for a tunnel. The caller disposes of it.
   * @throws DriverError `unsupported` when the phone has no adb
   */
  async adb(signal: AbortSignal): Promise<PhoneAdb> {
    if (!this.session || !this.connected) throw new DriverError('failed', NOT_CONNECTED);
    if (!this.session.adb)
      throw new DriverError('unsupported', 'simulated phones do not support adb; borrow an Android phone');
    return this.session.adb({ signal });
  }

  /** Connects an adb tunnel's link to the phone's adb. */
  attachAdb(link: Link, phone: PhoneAdb): void {
    this.links.adbTunnels.attach(link, phone);
    if (this.isClosed) link.close();
    this.watchIdle();
  }

  /** The phone's files; null if it has none. @throws DriverError when the session is not connected */
  get files(): PhoneFiles | null {
    if (!this.session || !this.connected) throw new DriverError('failed', NOT_CONNECTED);
    return this.session.files ?? null;
  }

  /** Performs an operation on the phone's files for the other end of the link. */
  attachFile(link: Link, files: PhoneFiles, task: FileTask): void {
    if (this.isClosed) link.close();
    else this.links.files.attach(link, files, task);
    this.watchIdle();
  }

  /** Performs a call for the WebDriver session on this lease. @throws Error when the session is not connected */
  async call(request: BusRequests['host.call']['request']): Promise<BusRequests['host.call']['response']> {
    const { controls, fanout } = this.links;
    if (!controls || this.isClosed) throw new Error(`${NOT_SERVED} ${this.sessionId}: ${NOT_CONNECTED}`);
    return this.automation.call(request, { controls, size: fanout.videoSize! });
  }

  /** The screen as PNG. @throws DriverError */
  async screenshot(signal: AbortSignal): Promise<Uint8Array> {
    if (!this.session || !this.connected) throw new DriverError('failed', NOT_CONNECTED);
    const { png } = (await this.session.perform('screenshot', {}, { signal })) as { png: string };
    const bytes = Buffer.from(png, 'base64');
    this.recorder?.screenshot(bytes);
    return bytes;
  }

  /** True while new links are rejected. */
  private get isClosed(): boolean {
    return this.end !== null || this.isSuspended || this.stopping.signal.aborted;
  }

  /**
   * Stops the stream and releases the phone. Resolves when that is done; waiting for the phone is limited to 10 s.
   * `isFinal`: the lease has ended. Otherwise it may be served again.
   */
  async stop({ isFinal }: { isFinal: boolean }): Promise<void> {
    this.stopping.abort();
    this.start.end('abandoned');
    this.expiry.stop();
    clearTimeout(this.idle);
    const automated = this.automation.close();
    const closed = this.links.close();
    const installed = this.installer.close();
    await this.opened;
    await installed;
    await automated;
    await closed;
    await this.release();
    await this.closeRecorder(isFinal);
  }

  private async open(): Promise<void> {
    const signal = AbortSignal.any([this.stopping.signal, AbortSignal.timeout(OPEN_TIMEOUT_MS)]);
    try {
      const session = await this.phone.open({ sessionId: this.sessionId, signal });
      this.session = session;
      if (this.stopping.signal.aborted) return;
      if (this.recorder) this.recorder.requestKeyframe = () => session.requestKeyframe();
      session.onPacket((packet) => {
        this.links.fanout.push(packet);
        this.recorder?.packet(packet);
        if (!this.connected && this.links.fanout.hasKeyframe) this.becomeConnected(session);
      });
      void session.lost.then(({ detail }) => this.finish('device_lost', detail));
    } catch (error) {
      if (this.stopping.signal.aborted) return;
      this.options.log.warn({ sessionId: this.sessionId, err: error }, 'phone could not be started');
      const hidden = 'the phone did not start; the log of its host says why';
      this.finish('start_failed', error instanceof DriverError ? error.message : hidden);
    }
  }

  private becomeConnected(session: PhoneSession): void {
    this.connected = true;
    this.start.end();
    this.installer.begin(session);
    this.links.serveControls(session, this.installer);
    this.options.onChange();
  }

  private watchIdle(): void {
    clearTimeout(this.idle);
    const inUse = this.links.areInUse || this.automation.limitsIdleTime;
    if (this.options.idleTimeoutMs === 0 || inUse || this.isClosed) return;
    this.idle = setTimeout(() => this.finish('idle', null), this.options.idleTimeoutMs);
  }

  private onSuspended(): void {
    clearTimeout(this.idle);
    this.links.cut();
  }

  private finish(reason: EndReason, detail: string | null, { isConfirmed = false } = {}): void {
    if (this.end || this.stopping.signal.aborted) return;
    this.end = { reason, detail };
    this.isEndConfirmed = isConfirmed;
    this.start.end('failed');
    this.options.onChange();
  }

  /** A disk that hangs must not delay the next lease of the phone. */
  private async closeRecorder(isFinal: boolean): Promise<void> {
    if (!this.recorder) return;
    const closed = this.recorder.close({ isFinal });
    await withDeadline(closed, CLOSE_TIMEOUT_MS, 'the disk did not store the recording').catch((error) =>
      this.options.log.warn({ sessionId: this.sessionId, err: error }, 'recording is not closed yet'),
    );
  }

  private async release(): Promise<void> {
    if (!this.session) return;
    const released = Promise.resolve(this.session[Symbol.asyncDispose]());
    await withDeadline(released, CLOSE_TIMEOUT_MS, 'the driver did not release the phone').catch((error) =>
      this.options.log.warn({ sessionId: this.sessionId, err: error }, 'phone could not be released cleanly'),
    );
    this.session = null;
  }
}
