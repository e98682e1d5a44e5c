import type { AppReport, AppRequest } from '../bus/messages.ts';
import { controlDeadlineMs } from '../contract/sockets/control-deadlines.ts';
import type { ControlNotification } from '../contract/sockets/control-notifications.ts';
import { DriverError, type PhoneSession } from '../drivers/driver.ts';
import type { Log } from '../util/log.ts';
import { unlessAborted } from '../util/unless-aborted.ts';
import { type AppSource, AppSourceError } from './app-source.ts';

/**
 * A large app takes a minute or two over USB 2; a phone that needs longer has hung. The timeout is shorter than the
 * command's own deadline, so that the client receives the reason.
 */
const INSTALL_TIMEOUT_MS = controlDeadlineMs('host', 'app.install') - 15_000;
/** Maximum number of installs that wait for the one in progress. A phone has only one package manager. */
const MAX_WAITING = 8;

type Progress = Extract<ControlNotification, { method: 'app.progress' }>;

interface AppInstallerOptions {
  apps: AppSource;
  lease: { sessionId: string; epoch: number };
  log: Log;
  /** Called when the status of the lease's app changes, so that it is reported to the control plane. */
  onChange: () => void;
  onProgress: (progress: Progress) => void;
}

/**
 * One session's installs, performed one after the other: the app that its lease requests, and those that its client
 * requests.
 */
export class AppInstaller {
  /** Status of the app that the lease requests. */
  report: AppReport | null = null;
  /** Progress of the newest install. */
  latestProgress: Progress | null = null;
  private readonly options: AppInstallerOptions;
  private readonly closing = new AbortController();
  private phone: PhoneSession | null = null;
  private wanted: AppRequest | null = null;
  private waiting = 0;
  private turn: Promise<void> = Promise.resolve();

  constructor(options: AppInstallerOptions) {
    this.options = options;
  }

  /** Requests the lease's app. A repeated request changes nothing. */
  want(request: AppRequest): void {
    if (this.wanted && request.request <= this.wanted.request) return;
    this.wanted = request;
    this.report = { request: request.request, status: 'pending', error: null };
    if (this.phone) void this.installRequested(request);
  }

  /** Called when the phone is up. Starts the install that the lease requests. */
  begin(phone: PhoneSession): void {
    this.phone = phone;
    if (this.wanted) void this.installRequested(this.wanted);
  }

  /**
   * Resolves when the app can be launched.
   * @throws DriverError with the phone's message, or with the reason why the app is unavailable.
   */
  async install(appId: string, signal: AbortSignal): Promise<null> {
    if (this.waiting >= MAX_WAITING) {
      throw new DriverError(
        'failed',
        `${MAX_WAITING} installations are already waiting for this phone; try again when one has finished`,
      );
    }
    this.waiting += 1;
    const mine = this.turn.then(() => {
      this.waiting -= 1;
      return this.installNow(appId, AbortSignal.any([signal, this.closing.signal]));
    });
    this.turn = mine.catch(() => {});
    await mine;
    return null;
  }

  /** Aborts the install in progress. Resolves when none is running. */
  async close(): Promise<void> {
    this.closing.abort();
    await this.turn;
  }

  private async installRequested(request: AppRequest): Promise<void> {
    const setStatus = (status: AppReport['status'], error: string | null = null) => {
      if (this.report?.request !== request.request) return;
      this.report = { request: request.request, status, error };
      this.options.onChange();
    };
    setStatus('installing');
    try {
      await this.install(request.appId, this.closing.signal);
      setStatus('installed');
    } catch (error) {
      if (!this.closing.signal.aborted) setStatus('failed', (error as Error).message);
    }
  }

  private async installNow(appId: string, asked: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([asked, AbortSignal.timeout(INSTALL_TIMEOUT_MS)]);
    const notify = (state: Progress['params']['state'], percent: number, message?: string) => {
      const failure = message === undefined ? {} : { message };
      this.latestProgress = { method: 'app.progress', params: { app_id: appId, state, percent, ...failure } };
      this.options.onProgress(this.latestProgress);
    };
    let percent = 0;
    try {
      signal.throwIfAborted();
      notify('installing', 0);
      await using opened = await this.options.apps.open(appId, { lease: this.options.lease, signal });
      const onProgress = (now: number) => {
        if (now <= percent || now > 100 || signal.aborted) return;
        percent = now;
        notify('installing', now);
      };
      await unlessAborted(this.phone!.install(opened.app, { signal, onProgress }), signal);
      notify('installed', 100);
    } catch (error) {
      const failure = this.explain(appId, error, signal);
      if (!this.closing.signal.aborted) notify('failed', percent, failure.message);
      throw failure;
    }
  }

  private explain(appId: string, error: unknown, signal: AbortSignal): DriverError {
    if (error instanceof DriverError) return error;
    if (error instanceof AppSourceError) return new DriverError('failed', error.message);
    if (signal.aborted)
      return new DriverError(
        'failed',
        'the phone did not complete the installation in time; look at its screen before you try again',
      );
    this.options.log.warn({ appId, err: error }, 'installation failed in the driver');
    return new DriverError('failed', 'the phone could not install the app; the log of its host says why');
  }
}
