import type { AutomationCommand, BusRequests } from '../bus/messages.ts';
import { MAX_COMMANDS } from '../contract/http/session.ts';
import { DriverError } from '../drivers/driver.ts';
import type { LeaseAppium } from './appium/lease-appium.ts';
import type { LeaseControls } from './lease-controls.ts';
import { packed } from './packed-result.ts';
import type { LeaseRecorder } from './recording/lease-recorder.ts';

type CallRequest = BusRequests['host.call']['request'];
type CallResponse = BusRequests['host.call']['response'];

/** What the control plane keeps with a lease while a WebDriver session uses the phone. The host does not interpret `state`. */
export interface AutomationSettings {
  state: string;
  /** Time without a call after which the automation ends, in milliseconds; 0: never. */
  idleMs: number;
  /** Whether the session ends with the automation when no call arrives in time. */
  endsSession: boolean;
}

/** Maximum number of calls that may run at once. WebDriver clients send one after the other. */
const MAX_CALLS = 16;
const TOO_MANY_CALLS = 'too many commands are running on this phone; wait for a response first';

export interface LeaseAutomationOptions {
  appium: LeaseAppium;
  recorder: LeaseRecorder | null;
  /** Called when no call arrived in time. */
  onIdle: (settings: AutomationSettings) => void;
  /** Called when the automation begins and ends. */
  onChange: () => void;
}

/** The WebDriver session of one lease. It ends when its client sends no command for too long. */
export class LeaseAutomation {
  private settings: AutomationSettings | null = null;
  private readonly options: LeaseAutomationOptions;
  private calls = 0;
  /** The latest commands, newest first. */
  private readonly commands: AutomationCommand[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(options: LeaseAutomationOptions) {
    this.options = options;
  }

  /** True while the automation itself limits how long the lease may be idle. */
  get limitsIdleTime(): boolean {
    return this.calls > 0 || (this.settings !== null && this.settings.idleMs > 0);
  }

  /** Answers a call for the WebDriver session. If there is none, the phone does nothing. */
  async call(
    request: CallRequest,
    { controls, size }: { controls: LeaseControls; size: { width: number; height: number } },
  ): Promise<CallResponse> {
    const { automation } = request;
    if (request.command) this.keep(request.command);
    if (automation) this.set(automation);
    if (request.release) controls.releasePointers();
    const state = { automation: this.settings, ...size, capabilities: controls.capabilities };
    if (automation === null) {
      this.set(null);
      controls.endAutomation();
      this.options.appium.end();
    }
    if (request.history) return { ...state, history: this.commands };
    if (!state.automation && !request.isDirect) return state;
    if (this.calls >= MAX_CALLS) return { ...state, error: { kind: 'failed', message: TOO_MANY_CALLS } };
    return this.during(async () => ({ ...state, ...(await this.perform(request, controls)) }));
  }

  private keep(command: AutomationCommand): void {
    const at = this.commands.findIndex(({ id }) => id === command.id);
    if (at >= 0) this.commands[at] = command;
    else this.commands.unshift(command);
    this.commands.splice(MAX_COMMANDS);
    this.options.recorder?.clients.webDriver(command);
  }

  private async perform(
    { method, params, log, appium, isDirect }: CallRequest,
    controls: LeaseControls,
  ): Promise<Partial<CallResponse>> {
    if (appium) return this.relay(appium);
    if (!method && !log) return {};
    const by = isDirect ? 'api' : 'webdriver';
    const outcome = method
      ? await controls.performWithoutControl(method, params ?? {}, by)
      : await controls.takeLog();
    return 'error' in outcome ? outcome : packed(outcome.result);
  }

  private async relay(request: NonNullable<CallRequest['appium']>): Promise<Partial<CallResponse>> {
    try {
      return { appium: await this.options.appium.take(request) };
    } catch (error) {
      if (!(error instanceof DriverError)) throw error;
      return { error: { kind: error.kind, message: error.message } };
    }
  }

  private set(settings: AutomationSettings | null): void {
    this.settings = settings;
    this.arm();
    this.options.onChange();
  }

  /** Runs a call. The time until the next one starts when the last call has ended. */
  private async during<T>(call: () => Promise<T>): Promise<T> {
    this.calls += 1;
    clearTimeout(this.timer);
    try {
      return await call();
    } finally {
      this.calls -= 1;
      this.arm();
      this.options.onChange();
    }
  }

  /** Resolves when no process of Appium is left. */
  async close(): Promise<void> {
    clearTimeout(this.timer);
    this.settings = null;
    await this.options.appium[Symbol.asyncDispose]();
  }

  private arm(): void {
    clearTimeout(this.timer);
    const { settings } = this;
    if (!settings || settings.idleMs === 0 || this.calls > 0) return;
    this.timer = setTimeout(() => {
      this.set(null);
      this.options.appium.end();
      this.options.onIdle(settings);
    }, settings.idleMs);
  }
}
