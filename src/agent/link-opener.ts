import type { BusRequests, FileTask } from '../bus/messages.ts';
import { controlDeadlineMs } from '../contract/sockets/control-deadlines.ts';
import { DriverError, type PhoneAdb } from '../drivers/driver.ts';
import { type LinkDialer, LinkError, type LinkHello } from '../link/link.ts';
import type { Log } from '../util/log.ts';
import type { LeaseRun } from './lease-run.ts';

const SCREENSHOT_TIMEOUT_MS = controlDeadlineMs('host', 'screenshot');
const ADB_TIMEOUT_MS = 6_000;

type DialRequest = BusRequests['host.dial']['request'];
type DialResponse = BusRequests['host.dial']['response'];

export interface LinkOpenerOptions {
  links: LinkDialer;
  log: Log;
  /** Returns what serves the lease. @throws Error when this host does not serve it. */
  runOf(sessionId: string, epoch: number): LeaseRun;
}

/** Opens the links that gateways and api processes request, and attaches each to what it is for. */
export class LinkOpener {
  private readonly options: LinkOpenerOptions;

  constructor(options: LinkOpenerOptions) {
    this.options = options;
  }

  /** @throws Error when this host does not serve the lease, or the gateway cannot be reached. */
  async open({ ingest, by, file, ...hello }: DialRequest): Promise<DialResponse> {
    const run = this.options.runOf(hello.sessionId, hello.epoch);
    if (hello.purpose === 'adb') return this.openAdb(run, ingest, hello);
    if (hello.purpose === 'file') return this.openFile(run, ingest, hello, file);
    if (hello.purpose === 'screenshot') return this.sendScreenshot(run, ingest, hello);
    run.attach(await this.options.links.dial(ingest, hello), by);
    return {};
  }

  /** A failure is returned as a message in `refused`. @throws Error when the session is not connected. */
  private async sendScreenshot(run: LeaseRun, ingest: string, hello: LinkHello): Promise<DialResponse> {
    if (!run.connected) throw new Error(`session ${run.sessionId} is not connected yet`);
    const signal = AbortSignal.timeout(SCREENSHOT_TIMEOUT_MS);
    try {
      const png = await run.screenshot(signal);
      const link = await this.options.links.dial(ingest, hello);
      link.send(png);
      link.close();
      return {};
    } catch (error) {
      if (error instanceof DriverError) return { refused: error.message };
      if (signal.aborted) return { refused: `timed out after ${SCREENSHOT_TIMEOUT_MS / 1000} s; try again` };
      if (error instanceof LinkError)
        return { refused: `the host could not send it (${error.message}); try again` };
      this.options.log.warn({ sessionId: run.sessionId, err: error }, 'screenshot failed in the driver');
      return { refused: 'the driver failed; the log of the host says why' };
    }
  }

  private async openAdb(run: LeaseRun, ingest: string, hello: LinkHello): Promise<DialResponse> {
    let phone: PhoneAdb;
    try {
      phone = await run.adb(AbortSignal.timeout(ADB_TIMEOUT_MS));
    } catch (error) {
      if (error instanceof DriverError && error.kind === 'unsupported') return { refused: error.message };
      throw error;
    }
    try {
      run.attachAdb(await this.options.links.dial(ingest, hello), phone);
    } catch (error) {
      await phone[Symbol.asyncDispose]();
      throw error;
    }
    return {};
  }

  /** The result of the operation, also a failure, is sent over the link. */
  private async openFile(
    run: LeaseRun,
    ingest: string,
    hello: LinkHello,
    task: FileTask | undefined,
  ): Promise<DialResponse> {
    const { files } = run;
    if (!task) throw new Error('the request does not name an operation on a file');
    if (!files) return { refused: 'this phone does not support file transfers' };
    run.attachFile(await this.options.links.dial(ingest, hello), files, task);
    return {};
  }
}
