import { type AppSource, AppSourceError, type OpenApp } from '../../src/agent/app-source.ts';
import type { DeviceDescription } from '../../src/contract/http/device.ts';
import { encodePacket, type StreamPacket } from '../../src/contract/sockets/stream-packets.ts';
import type {
  AppPackage,
  Driver,
  InstallOptions,
  Phone,
  PhoneNotification,
  PhoneSession,
} from '../../src/drivers/driver.ts';

const KEYFRAME = new Uint8Array([0, 0, 0, 1, 0x65, 1, 2, 3]);

/** Phone controlled by a test: it fails, hangs and gets lost on request, and counts the calls that it receives. */
export class PhoneDouble implements Phone {
  readonly description: DeviceDescription;
  problem: string | null = null;
  opened = 0;
  cleaned = 0;
  readonly capabilities = null;
  /** Error thrown by the next `open` or `clean`. */
  openError: Error | null = null;
  cleanError: Error | null = null;
  sends = true;
  /** The methods that its sessions support. */
  methods: PhoneSession['capabilities'] = ['tap', 'screenshot', 'app.install'];
  session: PhoneSessionDouble | null = null;

  constructor(id = 'phone-1') {
    this.description = {
      id,
      name: 'Double',
      brand: 'acme',
      model: 'D1',
      os_version: '15',
      screen_size: '6.1',
      resolution: '1080x2400',
      platform: 'android',
      kind: 'simulated',
      battery_percent: null,
    };
  }

  async open(): Promise<PhoneSession> {
    this.opened += 1;
    if (this.openError) throw this.openError;
    this.session = new PhoneSessionDouble(this.sends, this.methods);
    return this.session;
  }

  async clean(): Promise<void> {
    if (this.cleanError) throw this.cleanError;
    this.cleaned += 1;
  }
}

export class PhoneSessionDouble implements PhoneSession {
  readonly capabilities: PhoneSession['capabilities'];
  readonly performed: { method: string; params: unknown }[] = [];
  readonly injected: Uint8Array[] = [];
  readonly installed: AppPackage[] = [];
  /** Performs an install. A test replaces it. */
  take: (app: AppPackage, options: InstallOptions) => Promise<void> = async () => {};
  keyframes = 0;
  disposed = false;
  lose!: (reason: { detail: string }) => void;
  readonly lost = new Promise<{ detail: string }>((resolve) => {
    this.lose = resolve;
  });
  /** Responds to one call. A test replaces it. */
  answer: (method: string, params: unknown, signal: AbortSignal) => Promise<unknown> = async (method) =>
    method === 'screenshot' ? { png: 'cG5n' } : null;
  private listener: ((packet: Uint8Array) => void) | null = null;
  private notify: ((notification: PhoneNotification) => void) | null = null;
  private readonly sends: boolean;

  constructor(sends: boolean, capabilities: PhoneSession['capabilities']) {
    this.sends = sends;
    this.capabilities = capabilities;
  }

  onPacket(listener: (packet: Uint8Array) => void): void {
    this.listener = listener;
    if (this.sends) this.emitFrame();
  }

  /** Emits what a session starts with: size, parameter sets and a keyframe. */
  emitFrame(): void {
    this.emit({ type: 'session', width: 540, height: 1200 });
    this.emit({ type: 'config', pts: 0, data: new Uint8Array([0, 0, 0, 1, 0x67]) });
    this.emit({ type: 'keyframe', pts: 1, data: KEYFRAME });
  }

  emit(packet: StreamPacket): void {
    this.listener?.(encodePacket(packet));
  }

  requestKeyframe(): void {
    this.keyframes += 1;
  }

  async perform(method: string, params: unknown, { signal }: { signal: AbortSignal }): Promise<unknown> {
    this.performed.push({ method, params });
    return this.answer(method, params, signal);
  }

  async install(app: AppPackage, options: InstallOptions): Promise<void> {
    this.installed.push(app);
    await this.take(app, options);
  }

  inject(message: Uint8Array): void {
    this.injected.push(message);
  }

  onNotification(listener: (notification: PhoneNotification) => void): void {
    this.notify = listener;
  }

  say(notification: PhoneNotification): void {
    this.notify?.(notification);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.disposed = true;
  }
}

export class DriverDouble implements Driver {
  phones: Phone[];
  private onChange: ((phones: Phone[]) => void) | null = null;

  constructor(phones: Phone[]) {
    this.phones = phones;
  }

  async start(onChange: (phones: Phone[]) => void): Promise<void> {
    this.onChange = onChange;
    onChange(this.phones);
  }

  /** Replaces the list of phones, or reports that the current ones changed. */
  change(phones: Phone[] = this.phones): void {
    this.phones = phones;
    this.onChange?.(phones);
  }

  async [Symbol.asyncDispose](): Promise<void> {}
}

/** App source that has every app except `missing` and counts the open ones. */
export class AppSourceDouble implements AppSource {
  isOpen = 0;

  async open(appId: string): Promise<OpenApp> {
    if (appId === 'missing') throw new AppSourceError('the app was deleted');
    this.isOpen += 1;
    return {
      app: {
        appId,
        packageName: 'com.example',
        label: 'Example',
        version: '1.0',
        minSdk: null,
        icon: null,
        files: ['/nowhere/0.apk'],
      },
      [Symbol.asyncDispose]: async () => {
        this.isOpen -= 1;
      },
    };
  }
}
