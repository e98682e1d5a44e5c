import { controlDeadlineMs } from '../contract/sockets/control-deadlines.ts';
import type { ControlParams, PhoneMethod } from '../contract/sockets/control-methods.ts';
import type { Controller } from '../contract/sockets/control-notifications.ts';
import { DriverError, type PhoneNotification, type PhoneSession } from '../drivers/driver.ts';
import type { Link, LinkMessage } from '../link/link.ts';
import {
  type ControlCall,
  type ControlReply,
  encodeLinkMessage,
  LinkProtocolError,
  parseControlCall,
} from '../link/messages.ts';
import type { Log } from '../util/log.ts';
import type { PauseWatch } from '../util/pause-watch.ts';
import type { AppInstaller } from './app-installer.ts';
import { describeFailure, type Outcome } from './call-outcome.ts';
import { ConfirmedMessages } from './confirmed-messages.ts';
import { HeldPointers } from './held-pointers.ts';
import { LeaseLog } from './lease-log.ts';
import type { CommandSource } from './recording/client-events.ts';
import type { LeaseRecorder } from './recording/lease-recorder.ts';

/**
 * Notifications wait in the link. If a client does not read them, the newest are dropped, so that the agent's memory
 * stays bounded.
 */
const MAX_BUFFERED_BYTES = 4 * 1024 * 1024;

const SUSPENDED =
  'the host of the phone was suspended and is checking whether the session is still valid; try again';

/**
 * Deadline of a call that does not come from the controller. Its answer is a response over NATS, which has to be sent
 * within a minute of the request (`bus/nats-users.ts`).
 */
const MAX_WITHOUT_CONTROL_MS = 55_000;

/** One session's controls. One link holds them at a time, and a newer link takes over. */
export class LeaseControls {
  private readonly phone: PhoneSession;
  private readonly log: Log;
  private readonly installer: AppInstaller;
  private readonly recorder: LeaseRecorder | null;
  private readonly onEmpty: () => void;
  private closing = new AbortController();
  private readonly pointers = new HeldPointers();
  private readonly phoneLog = new LeaseLog();
  /** Messages of the holder. */
  private readonly messages: ConfirmedMessages<LinkMessage>;
  private holder: Link | null = null;

  constructor(
    phone: PhoneSession,
    options: {
      log: Log;
      pauses: PauseWatch;
      installer: AppInstaller;
      recorder: LeaseRecorder | null;
      onEmpty: () => void;
      /** Called when commands wait until the control plane has confirmed the lease. */
      onDoubt: () => void;
    },
  ) {
    this.phone = phone;
    this.log = options.log;
    this.installer = options.installer;
    this.recorder = options.recorder;
    this.onEmpty = options.onEmpty;
    this.messages = new ConfirmedMessages({
      pauses: options.pauses,
      onDoubt: options.onDoubt,
      deliver: (message) => this.execute(message),
      reject: (messages) => this.rejectUnconfirmed(messages),
    });
    phone.onNotification((notification) => this.notify(notification));
    if (this.recorder?.canRecord) this.recordLog(this.recorder);
  }

  get isHeld(): boolean {
    return this.holder !== null;
  }

  get capabilities(): PhoneSession['capabilities'] {
    return [...this.phone.capabilities, 'recording.mark'];
  }

  attach(link: Link, size: { width: number; height: number }, by?: Controller): void {
    const previous = this.holder;
    this.recorder?.clients.takeover(by?.name ?? null);
    this.messages.rejectAll();
    this.holder = link;
    if (previous) {
      this.pointers.release(this.phone, this.closing.signal);
      send(previous, by ? { type: 'taken-over', by } : { type: 'taken-over' });
      previous.close();
    }
    link.onClose(() => {
      if (this.holder !== link) return;
      this.messages.rejectAll();
      this.holder = null;
      this.pointers.release(this.phone, this.closing.signal);
      this.onEmpty();
    });
    send(link, { type: 'ready', ...size, capabilities: this.capabilities });
    // An app that was requested at connect may be installed before its client connects.
    if (this.installer.latestProgress) this.notify(this.installer.latestProgress);
    link.onMessage((message) => this.take(link, message));
  }

  notify(notification: PhoneNotification): void {
    if (notification.method === 'log.line' && !this.phoneLog.add(notification.params)) return;
    const link = this.holder;
    if (link && link.bufferedBytes < MAX_BUFFERED_BYTES)
      send(link, { type: 'notification', ...notification });
  }

  /** Lifts every finger that is down. */
  releasePointers(): void {
    this.pointers.release(this.phone, this.closing.signal);
  }

  close(): void {
    this.closing.abort();
    this.messages.rejectAll();
    this.holder?.close();
  }

  /** Aborts the calls in progress and closes the link. A later link is accepted. */
  cut(): void {
    this.closing.abort();
    this.closing = new AbortController();
    this.messages.rejectAll();
    this.holder?.close();
  }

  private take(link: Link, message: LinkMessage): void {
    // Commands of a client that was taken over no longer reach the phone, even if they are already in progress.
    if (link === this.holder) this.messages.take(message, message.length);
  }

  private execute(message: LinkMessage): void {
    const link = this.holder;
    if (!link) return;
    if (typeof message !== 'string') {
      this.pointers.observeInjected(message);
      this.recorder?.clients.injected(message);
      this.phone.inject(message);
      return;
    }
    try {
      void this.call(link, parseControlCall(message));
    } catch (error) {
      if (!(error instanceof LinkProtocolError)) throw error;
      this.log.warn({ error: error.message }, 'gateway sent a malformed command; closing its link');
      link.close();
    }
  }

  /** An injected message has no answer. */
  private rejectUnconfirmed(messages: LinkMessage[]): void {
    for (const message of messages) {
      const link = this.holder;
      if (!link || typeof message !== 'string') continue;
      try {
        const { id } = parseControlCall(message);
        send(link, { type: 'error', id, kind: 'failed', message: SUSPENDED });
      } catch (error) {
        if (!(error instanceof LinkProtocolError)) throw error;
      }
    }
  }

  private async call(link: Link, { id, method, params }: ControlCall): Promise<void> {
    const timeoutMs = controlDeadlineMs('host', method, params);
    const signal = AbortSignal.any([this.closing.signal, AbortSignal.timeout(timeoutMs)]);
    if (method === 'log.start' || method === 'log.stop') this.phoneLog.setSent(method === 'log.start');
    const isShared = method === 'log.stop' && this.phoneLog.isWanted;
    const outcome = isShared
      ? { result: null }
      : await this.perform(method, params, { by: 'controller', signal });
    if ('error' in outcome) send(link, { type: 'error', id, ...outcome.error });
    else send(link, { type: 'result', id, result: outcome.result });
  }

  /** Performs a call that does not come from the controller, at the same time as the calls of the controller. */
  performWithoutControl(method: PhoneMethod, params: unknown, by: CommandSource): Promise<Outcome> {
    const timeoutMs = Math.min(controlDeadlineMs('host', method, params as object), MAX_WITHOUT_CONTROL_MS);
    const signal = AbortSignal.any([this.closing.signal, AbortSignal.timeout(timeoutMs)]);
    return this.perform(method, params, { by, signal });
  }

  /** The lines of the log since the last call. The first call starts the log. */
  async takeLog(): Promise<Outcome> {
    this.phoneLog.setKept(true);
    const outcome = await this.performWithoutControl('log.start', {}, 'webdriver');
    return 'error' in outcome ? outcome : { result: this.phoneLog.take() };
  }

  /** Called when the WebDriver session ends: what it holds on the phone is released. */
  endAutomation(): void {
    this.releasePointers();
    if (!this.phoneLog.isKept) return;
    this.phoneLog.setKept(false);
    if (!this.phoneLog.isWanted) void this.performWithoutControl('log.stop', {}, 'webdriver');
  }

  private async perform(
    method: PhoneMethod,
    params: unknown,
    { by, signal }: { by: CommandSource; signal: AbortSignal },
  ): Promise<Outcome> {
    const began = performance.now();
    const outcome = await this.attempt(method, params, signal);
    const error = 'error' in outcome ? outcome.error : undefined;
    this.recorder?.clients.call({ method, params, by, error }, performance.now() - began);
    return outcome;
  }

  private recordScreenshot(result: unknown): void {
    const { png } = (result ?? {}) as { png?: unknown };
    if (typeof png === 'string') this.recorder?.screenshot(Buffer.from(png, 'base64'));
  }

  /** The log is recorded until the recording stops, whether or not a client also requests it. */
  private recordLog(recorder: LeaseRecorder): void {
    if (!this.phone.capabilities.includes('log.start')) return;
    const control = (method: 'log.start' | 'log.stop') => {
      const signal = AbortSignal.any([this.closing.signal, AbortSignal.timeout(MAX_WITHOUT_CONTROL_MS)]);
      return this.attempt(method, {}, signal);
    };
    this.phoneLog.recordWith((line) => recorder.logLine(line));
    recorder.onStopped = () => {
      this.phoneLog.recordWith(null);
      if (!this.phoneLog.isWanted) void control('log.stop');
    };
    void control('log.start');
  }

  private async attempt(method: PhoneMethod, params: unknown, signal: AbortSignal): Promise<Outcome> {
    try {
      if (method === 'recording.mark') {
        const { label } = params as ControlParams<'recording.mark'>;
        return { result: { recorded: this.recorder?.mark(label) ?? false } };
      }
      if (method === 'touch') {
        this.pointers.observe(params as ControlParams<'touch'>);
        this.recorder?.clients.touch(params as ControlParams<'touch'>);
      }
      const result =
        method === 'app.install'
          ? await this.installer.install((params as ControlParams<'app.install'>).app_id, signal)
          : await this.phone.perform(method, params, { signal });
      if (method === 'screenshot') this.recordScreenshot(result);
      return { result: result ?? null };
    } catch (error) {
      if (!(error instanceof DriverError))
        this.log.warn({ method, err: error }, 'command failed in the driver');
      return { error: describeFailure(error, signal) };
    }
  }
}

function send(link: Link, message: ControlReply): void {
  link.send(encodeLinkMessage(message));
}
