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

export interface LeaseAutomationOptions {
  /** Called when no call arrived in time. */
  onIdle: (settings: AutomationSettings) => void;
  /** Called when the automation begins and ends. */
  onChange: () => void;
}

/** The WebDriver session of one lease. It ends when its client sends no command for too long. */
export class LeaseAutomation {
  settings: AutomationSettings | null = null;
  private readonly options: LeaseAutomationOptions;
  private calls = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(options: LeaseAutomationOptions) {
    this.options = options;
  }

  /** True while the automation itself limits how long the lease may be idle. */
  get limitsIdleTime(): boolean {
    return this.calls > 0 || (this.settings !== null && this.settings.idleMs > 0);
  }

  get isFull(): boolean {
    return this.calls >= MAX_CALLS;
  }

  set(settings: AutomationSettings | null): void {
    this.settings = settings;
    this.arm();
    this.options.onChange();
  }

  /** Runs a call. The time until the next one starts when the last call has ended. */
  async during<T>(call: () => Promise<T>): Promise<T> {
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

  close(): void {
    clearTimeout(this.timer);
    this.settings = null;
  }

  private arm(): void {
    clearTimeout(this.timer);
    const { settings } = this;
    if (!settings || settings.idleMs === 0 || this.calls > 0) return;
    this.timer = setTimeout(() => {
      this.set(null);
      this.options.onIdle(settings);
    }, settings.idleMs);
  }
}
