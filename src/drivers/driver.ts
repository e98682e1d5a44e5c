import type { Duplex } from 'node:stream';
import type { ControlNotification, PhoneMethod } from '../contract/control-methods.ts';
import type { DeviceDescription } from '../contract/device.ts';
import type { StreamPacket } from '../contract/stream-packets.ts';

/** A kind of phone the agent can drive. It finds its phones and says when one comes, changes or goes. */
export interface Driver extends AsyncDisposable {
  /** Starts looking. `onChange` is called with every phone there is now, at first and at each change. */
  start(onChange: (phones: Phone[]) => void): Promise<void>;
}

/** One phone on this host, whether or not someone is using it. */
export interface Phone {
  readonly description: DeviceDescription;
  /** Why it cannot be lent now, in words for the operator; null when it can. */
  readonly problem: string | null;
  /** Brings the screen and the controls up. Rejects with DriverError when that fails. */
  open(options: { sessionId: string; signal: AbortSignal }): Promise<PhoneSession>;
  /** Removes what any session left behind; the phone must not be open. */
  clean(options: { signal: AbortSignal }): Promise<void>;
}

/** A phone in use. Disposing it stops the stream and lets the phone go; cleaning is a step of its own. */
export interface PhoneSession extends AsyncDisposable {
  readonly capabilities: PhoneMethod[];
  /** One listener. The packets begin with the size, the config packet and a keyframe. */
  onPacket(listener: (packet: StreamPacket) => void): void;
  /** A keyframe soon, on a still screen too. Callers may ask as often as they like. */
  requestKeyframe(): void;
  /**
   * Does one control method; `params` have been validated against the contract.
   * @throws DriverError with what the phone said.
   */
  perform(method: PhoneMethod, params: unknown, options: { signal: AbortSignal }): Promise<unknown>;
  /**
   * Puts an app on the phone, over an older or equal version of itself; resolves when it can be launched.
   * `onProgress` is told whole percents, growing. Only called where `capabilities` has `app.install`.
   * @throws DriverError with what the phone said, such as `INSTALL_FAILED_OLDER_SDK: …`.
   */
  install(app: AppPackage, options: InstallOptions): Promise<void>;
  /**
   * adb on this phone, for one tunnel; absent where the phone has none.
   * @throws DriverError `unsupported` when its operator lends it without.
   */
  adb?(options: { signal: AbortSignal }): Promise<PhoneAdb>;
  /** One scrcpy control message, validated. */
  inject(message: Uint8Array): void;
  /** One listener: clipboard changes, log lines, install progress. */
  onNotification(listener: (notification: PhoneNotification) => void): void;
  /** Resolves when the phone is lost by itself; never rejects. */
  readonly lost: Promise<{ detail: string }>;
}

/** What adb reaches of a phone. Disposing it takes back what it had the phone do, such as listen at a port. */
export interface PhoneAdb extends AsyncDisposable {
  /** What the phone's daemon says of itself: `device::ro.product.name=…;features=…`. */
  readonly banner: string;
  /**
   * A stream of one of the phone's services, such as `shell,v2,raw:ls`; the caller's to destroy.
   * @throws DriverError when the phone does not have the service, or it is not for who borrows it.
   */
  open(service: string, options: { signal: AbortSignal }): Promise<Duplex>;
  /** One listener, who owns the stream: something connected to the phone's end of a reverse tunnel to `target`. */
  onConnection(listener: (target: string, stream: Duplex) => void): void;
}

/** An app as it is put on a phone. */
export interface AppPackage {
  appId: string;
  packageName: string;
  label: string;
  version: string;
  /** The least Android API level that it runs on; null: it does not say. */
  minSdk: number | null;
  /** PNG or WebP. */
  icon: Uint8Array | null;
  /**
   * Absolute paths on this machine, which stay until the install is over: the base APK first, then its splits, their
   * names before `.apk` (`1.config.en.apk`), and expansion files (`.obb`) by the names that the app looks for.
   */
  files: string[];
}

export interface InstallOptions {
  signal: AbortSignal;
  onProgress(percent: number): void;
}

/** What a phone may tell its client by itself. */
export type PhoneNotification = Extract<
  ControlNotification,
  { method: 'device.rotated' | 'clipboard.changed' | 'app.progress' | 'log.line' }
>;

/** `unsupported`: this phone cannot do that. `failed`: it tried, and the message is what the phone said. */
export class DriverError extends Error {
  readonly kind: 'unsupported' | 'failed';
  constructor(kind: DriverError['kind'], message: string) {
    super(message);
    this.name = 'DriverError';
    this.kind = kind;
  }
}
