import type { Duplex } from 'node:stream';
import type { DeviceDescription } from '../contract/http/device.ts';
import type { FILES_CAPABILITY, PhoneFileFailure, PhoneFileKind } from '../contract/http/phone-file.ts';
import type { PhoneMethod } from '../contract/sockets/control-methods.ts';
import type { ControlNotification } from '../contract/sockets/control-notifications.ts';

/**
 * A kind of phone that the agent can drive. It discovers its phones and reports when one is connected, changes or is
 * disconnected.
 */
export interface Driver extends AsyncDisposable {
  /** Starts discovery. `onChange` is called with every phone that is present, at the start and at each change. */
  start(onChange: (phones: Phone[]) => void): Promise<void>;
}

export type DeviceCapability = PhoneMethod | typeof FILES_CAPABILITY;

/** One phone on this host, whether or not it is in use. */
export interface Phone {
  readonly description: DeviceDescription;
  /** The control methods that a session on the phone supports, and `files`; null while they are unknown. */
  readonly capabilities: readonly DeviceCapability[] | null;
  /** The capabilities with which a driver of Appium on this host finds the phone, if there are any. */
  readonly appiumCapabilities?: Readonly<Record<string, string | number>>;
  /** Why the phone cannot be borrowed now, as text for the operator; null if it can. */
  readonly problem: string | null;
  /** Starts the screen stream and the controls. Rejects with DriverError when that fails. */
  open(options: { sessionId: string; signal: AbortSignal }): Promise<PhoneSession>;
  /** Removes what any session left behind. The phone must not be open. */
  clean(options: { signal: AbortSignal }): Promise<void>;
}

/** A phone in use. Disposing it stops the stream and releases the phone; cleaning is a separate step. */
export interface PhoneSession extends AsyncDisposable {
  readonly capabilities: PhoneMethod[];
  /**
   * Sets the only listener. The packets begin with the size, the config packet and a keyframe. Each is encoded in
   * layout v4 and belongs to the listener. The driver allocates it with allocatePacket(), so that it is sent without a
   * copy.
   */
  onPacket(listener: (packet: Uint8Array) => void): void;
  /** Requests a keyframe soon, even if the screen does not change. Callers may ask as often as they like. */
  requestKeyframe(): void;
  /**
   * Performs one control method; `params` have been validated against the contract.
   * @throws DriverError with the phone's message.
   */
  perform(method: PhoneMethod, params: unknown, options: { signal: AbortSignal }): Promise<unknown>;
  /**
   * Installs an app on the phone, over an older or equal version of itself. Resolves when it can be launched.
   * `onProgress` receives increasing whole percentages. Only called where `capabilities` has `app.install`.
   * @throws DriverError with the phone's message, such as `INSTALL_FAILED_OLDER_SDK: …`.
   */
  install(app: AppPackage, options: InstallOptions): Promise<void>;
  /**
   * Opens adb on this phone, for one tunnel. Absent where the phone has no adb.
   * @throws DriverError `unsupported` when the phone's operator does not allow adb.
   */
  adb?(options: { signal: AbortSignal }): Promise<PhoneAdb>;
  /** The files in the shared storage. Absent where the phone has none that can be accessed. */
  readonly files?: PhoneFiles;
  /** Sends one scrcpy control message that has been validated. */
  inject(message: Uint8Array): void;
  /** Sets the only listener for clipboard changes, log lines and install progress. */
  onNotification(listener: (notification: PhoneNotification) => void): void;
  /** Resolves when the phone is lost unexpectedly; never rejects. */
  readonly lost: Promise<{ detail: string }>;
}

/**
 * The part of a phone that adb can reach. Disposing it undoes what it made the phone do, such as listening at a port.
 */
export interface PhoneAdb extends AsyncDisposable {
  /** The phone's adb banner: `device::ro.product.name=…;features=…`. */
  readonly banner: string;
  /**
   * Opens a stream to one of the phone's services, such as `shell,v2,raw:ls`. The caller must destroy it.
   * @throws DriverError when the phone does not have the service, or a borrower must not use it.
   */
  open(service: string, options: { signal: AbortSignal }): Promise<Duplex>;
  /**
   * Sets the only listener, which takes ownership of the stream: something connected to the phone's end of a reverse
   * tunnel to `target`.
   */
  onConnection(listener: (target: string, stream: Duplex) => void): void;
}

/**
 * The files in the shared storage of a phone. A path consists of the names below `/sdcard`, as `parseSharedPath`
 * returns them. A path that leads out of the shared storage on the phone, over a symbolic link, is rejected.
 * Aborting the signal aborts the operation; what it has written is then removed.
 * All methods throw PhoneFileError, or DriverError with the phone's message.
 */
export interface PhoneFiles {
  /** Lists a folder: folders first, then files, by name, at most `MAX_LISTED_FILES`. */
  list(path: readonly string[], options: { signal: AbortSignal }): Promise<PhoneFolderList>;
  /** Opens a file. Exactly `size` bytes can be read. */
  read(
    path: readonly string[],
    options: { signal: AbortSignal },
  ): Promise<PhoneFileFacts & { bytes: AsyncIterable<Uint8Array> }>;
  /**
   * Writes a file and creates missing folders. The file appears under its name when it is complete. `ready` is called
   * when the phone accepts the file, before the first byte is read.
   */
  write(
    path: readonly string[],
    content: AsyncIterable<Uint8Array>,
    options: WriteFileOptions,
  ): Promise<PhoneFileFacts>;
  /** Deletes a file, or an empty folder. */
  remove(path: readonly string[], options: { signal: AbortSignal }): Promise<void>;
}

export interface PhoneFileFacts {
  /** In bytes; 0 for a folder. */
  size: number;
  /** Milliseconds since 1970; null: unknown. */
  modifiedAt: number | null;
}

export interface PhoneFileEntry extends PhoneFileFacts {
  name: string;
  kind: PhoneFileKind;
}

export interface PhoneFolderList {
  items: PhoneFileEntry[];
  /** Whether the folder has more entries. */
  hasMore: boolean;
}

export interface WriteFileOptions {
  overwrite: boolean;
  /** Size of the content in bytes, or slightly more; null: unknown. */
  size: number | null;
  ready(): void;
  signal: AbortSignal;
}

/** An app in the form in which it is installed on a phone. */
export interface AppPackage {
  appId: string;
  packageName: string;
  label: string;
  version: string;
  /** The minimum Android API level; null: not specified. */
  minSdk: number | null;
  /** The icon as PNG or WebP. */
  icon: Uint8Array | null;
  /**
   * Absolute paths on this machine, valid until the install is over: the base APK first, then its splits, their names
   * before `.apk` (`1.config.en.apk`), and expansion files (`.obb`) with the names that the app expects.
   */
  files: string[];
}

export interface InstallOptions {
  signal: AbortSignal;
  onProgress(percent: number): void;
}

/** A notification that a phone may send to its client. */
export type PhoneNotification = Extract<
  ControlNotification,
  { method: 'device.rotated' | 'clipboard.changed' | 'app.progress' | 'log.line' }
>;

/**
 * `unsupported`: this phone cannot do that. `failed`: the phone tried, and the message is the one that it returned.
 */
export class DriverError extends Error {
  readonly kind: 'unsupported' | 'failed';
  constructor(kind: DriverError['kind'], message: string) {
    super(message);
    this.name = 'DriverError';
    this.kind = kind;
  }
}

/** The path or the state of the phone does not allow the operation on a file. */
export class PhoneFileError extends DriverError {
  readonly reason: PhoneFileFailure;
  constructor(reason: PhoneFileFailure, message: string) {
    super('failed', message);
    this.name = 'PhoneFileError';
    this.reason = reason;
  }
}
