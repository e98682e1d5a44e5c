import { PHONE_METHODS, type PhoneMethod } from '../../contract/sockets/control-methods.ts';
import {
  encodeScrcpyControl,
  parseScrcpyControl,
  TOUCH_ACTIONS,
} from '../../contract/sockets/scrcpy-control.ts';
import {
  type AppPackage,
  DriverError,
  type InstallOptions,
  type PhoneNotification,
  type PhoneSession,
} from '../driver.ts';
import type { AdbDevice } from './adb/adb-device.ts';
import { AdbError } from './adb/adb-socket.ts';
import { appMethods } from './control/app-methods.ts';
import { Clipboard } from './control/clipboard.ts';
import { conditionMethods } from './control/condition-methods.ts';
import { inputMethods } from './control/input-methods.ts';
import { Logcat } from './control/logcat.ts';
import { LOCATION_SDK } from './control/mock-location.ts';
import type { Handlers, PhoneContext } from './control/phone-context.ts';
import { systemMethods } from './control/system-methods.ts';
import { AndroidFiles } from './files/android-files.ts';
import { installApp } from './install/install-app.ts';
import type { Journal } from './journal.ts';
import { refusalProblem } from './permissions.ts';
import type { DeviceMessage } from './scrcpy/device-messages.ts';
import type { Screencast } from './scrcpy/screencast.ts';
import { AndroidAdb } from './tunnel/android-adb.ts';

const INPUT_METHODS: PhoneMethod[] = ['tap', 'long_press', 'swipe', 'touch', 'scroll', 'key', 'text'];

export interface AndroidSessionOptions {
  device: AdbDevice;
  sdk: number;
  user: number;
  brand: string;
  journal: Journal;
  serverPath: string;
  /** Whether the client may use the shell and adb. */
  allowShell: boolean;
  /** Called when the phone must be checked again, because it might no longer be usable. */
  onTrouble: () => void;
  /** Called once, when the session is closed. */
  onClosed: () => void;
}

/** The control methods that an Android phone supports. */
export function androidCapabilities({
  sdk,
  allowShell,
}: {
  sdk: number;
  allowShell: boolean;
}): PhoneMethod[] {
  const unable = [...(sdk < LOCATION_SDK ? ['location.set'] : []), ...(allowShell ? [] : ['shell'])];
  return PHONE_METHODS.filter((method) => !unable.includes(method));
}

/** An Android phone in use. */
export class AndroidSession implements PhoneSession, PhoneContext {
  readonly device: AdbDevice;
  readonly sdk: number;
  readonly user: number;
  readonly journal: Journal;
  readonly serverPath: string;
  readonly capabilities: PhoneMethod[];
  readonly files: AndroidFiles;
  readonly #allowShell: boolean;
  readonly #brand: string;
  readonly #onTrouble: () => void;
  readonly #onClosed: () => void;
  readonly #clipboard: Clipboard;
  readonly #logcat: Logcat;
  readonly #handlers: Handlers;
  readonly #closing = new AbortController();
  readonly #lost = Promise.withResolvers<{ detail: string }>();
  #cast: Screencast | null = null;
  /** The phone has rejected input since the last input method was answered. */
  #isInputRefused = false;
  #wasInputRefused = false;
  #listener: (notification: PhoneNotification) => void = () => {};

  constructor(options: AndroidSessionOptions) {
    const { device, sdk, user, brand, journal, serverPath, allowShell } = options;
    this.device = device;
    this.sdk = sdk;
    this.user = user;
    this.journal = journal;
    this.serverPath = serverPath;
    this.#brand = brand;
    this.#allowShell = allowShell;
    this.#onTrouble = options.onTrouble;
    this.#onClosed = options.onClosed;
    this.files = new AndroidFiles(this);
    this.#clipboard = new Clipboard(this);
    this.#logcat = new Logcat(this);
    this.#handlers = {
      ...inputMethods(this, this.#clipboard),
      ...appMethods(this),
      ...systemMethods(this, this.#logcat),
      ...conditionMethods(this),
    };
    this.capabilities = androidCapabilities({ sdk, allowShell });
  }

  get lost(): Promise<{ detail: string }> {
    return this.#lost.promise;
  }

  get size(): { width: number; height: number } {
    return this.#cast?.size ?? { width: 0, height: 0 };
  }

  /** Called when the screen is available. */
  begin(cast: Screencast): void {
    this.#cast = cast;
    void cast.lost.then((end) => this.#lost.resolve(end));
  }

  takeMessage(message: DeviceMessage): void {
    this.#clipboard.take(message);
  }

  /**
   * Called when scrcpy's server was not allowed to inject an event. The server does not report which event, so the
   * input method in progress fails, or else the next one. The session continues, because some makers protect only
   * single apps in this way.
   */
  inputRefused(): void {
    this.#isInputRefused = true;
    if (this.#wasInputRefused) return;
    this.#wasInputRefused = true;
    this.#onTrouble();
  }

  resized(size: { width: number; height: number }): void {
    this.notify({ method: 'device.rotated', params: size });
  }

  onPacket(listener: (packet: Uint8Array) => void): void {
    this.#cast?.onPacket(listener);
  }

  requestKeyframe(): void {
    this.#cast?.requestKeyframe();
  }

  onNotification(listener: (notification: PhoneNotification) => void): void {
    this.#listener = listener;
  }

  notify(notification: PhoneNotification): void {
    if (!this.#closing.signal.aborted) this.#listener(notification);
  }

  send(message: Uint8Array): boolean {
    return this.#cast?.send(message) ?? false;
  }

  inject(message: Uint8Array): void {
    this.send(message);
    const parsed = parseScrcpyControl(message);
    // scrcpy only treats a pointer as lifted at UP.
    if (parsed.type === 'touch' && parsed.action === TOUCH_ACTIONS.cancel)
      this.send(encodeScrcpyControl({ ...parsed, action: TOUCH_ACTIONS.up }));
    if (parsed.type === 'set-clipboard') this.#clipboard.noticed(parsed.text);
  }

  async perform(method: PhoneMethod, params: unknown, { signal }: { signal: AbortSignal }): Promise<unknown> {
    const handler = this.#handlers[method] as
      | ((params: unknown, signal: AbortSignal) => Promise<unknown>)
      | undefined;
    if (!handler || !this.capabilities.includes(method)) {
      throw new DriverError(
        'unsupported',
        `this phone does not support ${method}; use a phone whose capabilities include it`,
      );
    }
    const result = await this.#guard(signal, (both) => handler(params, both));
    if (this.#isInputRefused && INPUT_METHODS.includes(method)) {
      this.#isInputRefused = false;
      throw new DriverError('failed', refusalProblem(this.#brand));
    }
    return result;
  }

  async install(app: AppPackage, { signal, onProgress }: InstallOptions): Promise<void> {
    await this.#guard(signal, (both) => installApp(this, app, { signal: both, onProgress }));
  }

  async adb({ signal }: { signal: AbortSignal }): Promise<AndroidAdb> {
    if (!this.#allowShell)
      throw new DriverError(
        'unsupported',
        'shell and adb are not allowed on this phone; an operator can set PHONEBOOTH_ALLOW_SHELL=on on its host',
      );
    return this.#guard(signal, (both) => AndroidAdb.open(this.device, both));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(new DriverError('failed', 'the session has ended'));
    this.#logcat.stop();
    await this.#cast?.close();
    this.#onClosed();
  }

  async #guard<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    try {
      return await work(AbortSignal.any([signal, this.#closing.signal]));
    } catch (error) {
      if (error instanceof AdbError) throw new DriverError('failed', error.message);
      throw error;
    }
  }
}
