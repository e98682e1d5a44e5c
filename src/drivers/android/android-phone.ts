import { setTimeout as delay } from 'node:timers/promises';
import type { DeviceDescription } from '../../contract/http/device.ts';
import { FILES_CAPABILITY } from '../../contract/http/phone-file.ts';
import { ANDROID_KEYS } from '../../contract/sockets/android-keys.ts';
import type { Log } from '../../util/log.ts';
import { isLoopback } from '../../util/loopback.ts';
import { type DeviceCapability, DriverError, type Phone } from '../driver.ts';
import type { AdbDevice } from './adb/adb-device.ts';
import { AdbError } from './adb/adb-socket.ts';
import { shellLine } from './adb/quote.ts';
import { shellEach } from './adb/shell-batch.ts';
import { AndroidSession, androidCapabilities } from './android-session.ts';
import { cleanPhone } from './clean-phone.ts';
import type { Journal } from './journal.ts';
import { INPUT_PROBE, isRefused, refusalProblem } from './permissions.ts';
import { bootIdOf } from './phone-description.ts';
import { installServer } from './scrcpy/install-server.ts';
import type { ScreenSettings } from './scrcpy/run.ts';
import { Screencast } from './scrcpy/screencast.ts';
import type { ScrcpyServerFile } from './scrcpy/server-file.ts';
import { lockProblem } from './screen-lock.ts';
import { writeSettings } from './settings.ts';

/** For any kind of charger (AC, USB, wireless): the bits of BatteryManager.BATTERY_PLUGGED_*. */
const STAY_ON = 'global stay_on_while_plugged_in';
const ANY_POWER_SOURCE = '7';
/** Keeps the screen on where the phone is not charging: the longest timeout that Android accepts, in milliseconds. */
const SCREEN_OFF = 'system screen_off_timeout';
const MAX_TIMEOUT = '2147483647';
/** Time within which the adb server reports that a phone is absent after a command on it has failed. */
const ABSENCE_REPORT_MS = 1_000;
const POLL_MS = 50;
/** "Verify apps over USB": Play Protect would show a prompt about an app that it does not know. */
const VERIFY_INSTALLS = 'global verifier_verify_adb_installs';
const SESSION_SETTINGS = {
  [STAY_ON]: ANY_POWER_SOURCE,
  [SCREEN_OFF]: MAX_TIMEOUT,
  [VERIFY_INSTALLS]: '0',
};

/** The state of a phone that outlives its connections. */
export interface PhoneMemory {
  readonly device: AdbDevice;
  readonly journal: Journal;
  readonly sdk: number;
  /** Android's id of the user whose screen is shown. */
  user: number;
  readonly brand: string;
  readonly screen: ScreenSettings;
  readonly allowShell: boolean;
  readonly log: Log;
  /** @throws Error whose message says what to do. */
  serverFile(signal: AbortSignal): Promise<ScrcpyServerFile>;
  /** The encoder that worked last time. */
  encoder: string | null;
  session: AndroidSession | null;
  /** A session is starting. Unless the start fails, the phone's absence from adb is not reported as a problem. */
  isOpening: boolean;
  /** How long a phone may be absent from adb before its session is lost, in milliseconds. */
  absenceMs: number;
  /** Whether the phone is restarted after each session. */
  readonly restarts: boolean;
  /** Called when the phone is about to be restarted; `bootId` is the boot that ends. */
  onRestart(bootId: string): void;
  /** Called when the session is over. Problems that arose during the session are reported from now on. */
  onReleased(): void;
  /** Called when something failed on the phone, so that it must be checked again. */
  onTrouble(): void;
}

/** One Android phone in its current state. A new object is created at each change. */
export class AndroidPhone implements Phone {
  readonly description: DeviceDescription;
  readonly problem: string | null;
  readonly #memory: PhoneMemory;

  constructor(description: DeviceDescription, problem: string | null, memory: PhoneMemory) {
    this.description = description;
    this.problem = problem;
    this.#memory = memory;
  }

  get capabilities(): DeviceCapability[] | null {
    // Before the phone has answered, its version is 0.
    return this.#memory.sdk === 0 ? null : [...androidCapabilities(this.#memory), FILES_CAPABILITY];
  }

  get appiumCapabilities(): Record<string, string | number> {
    const { serial, server } = this.#memory.device;
    // Appium finds an adb server of this machine without a capability.
    const isLocal = isLoopback(server.host);
    return {
      'appium:udid': serial,
      'appium:adbPort': server.port,
      ...(!isLocal && { 'appium:remoteAdbHost': server.host }),
    };
  }

  async open({ signal }: { sessionId: string; signal: AbortSignal }): Promise<AndroidSession> {
    const memory = this.#memory;
    if (this.problem) throw new DriverError('failed', this.problem);
    if (memory.session || memory.isOpening) throw new DriverError('failed', 'the phone is in use');
    memory.isOpening = true;
    return this.#guard(signal, () => this.#openDespiteAbsence(signal)).finally(() => {
      memory.isOpening = false;
      if (!memory.session) memory.onReleased();
    });
  }

  /**
   * A USB connection breaks for a moment when a hub resets or the phone changes its USB mode, as many phones do when
   * they are first unlocked. A start that fails for that reason is retried once when the phone is back.
   */
  async #openDespiteAbsence(signal: AbortSignal): Promise<AndroidSession> {
    const { device, log } = this.#memory;
    const { transport } = device;
    const boot = { id: '' };
    try {
      return await this.#openOnce(boot, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AdbError) || !(await this.#hasReturned(transport, signal))) throw error;
      log.info({ err: error }, 'session start failed while the phone was absent from adb, retrying');
      return this.#openOnce(boot, signal);
    }
  }

  /** Whether the phone has left adb since it had this transport, and has come back. */
  async #hasReturned(transport: bigint | null, signal: AbortSignal): Promise<boolean> {
    const { device, absenceMs } = this.#memory;
    const until = async (isTrue: () => boolean, timeoutMs: number) => {
      const deadline = performance.now() + timeoutMs;
      while (!isTrue() && performance.now() < deadline) await delay(POLL_MS, undefined, { signal });
      return isTrue();
    };
    const hasLeft = () => device.state !== 'device' || device.transport !== transport;
    return (await until(hasLeft, ABSENCE_REPORT_MS)) && until(() => device.state === 'device', absenceMs);
  }

  async #openOnce(boot: { id: string }, signal: AbortSignal): Promise<AndroidSession> {
    const memory = this.#memory;
    const { device, journal, screen, allowShell, log, absenceMs } = memory;
    const file = await memory.serverFile(signal);
    const { transport } = device;
    const bootId = await bootIdOf(device, signal);
    if (boot.id && boot.id !== bootId)
      throw new AdbError('the phone restarted while the session was starting; try again');
    boot.id = bootId;
    await journal.begin({ user: memory.user, bootId, allowShell }, signal);
    // Otherwise the identifier could be that of an earlier boot than the one in which the session runs.
    if (device.transport !== transport)
      throw new AdbError('the phone was absent from adb while the session was starting; try again');
    await this.#wake(signal);
    const serverPath = await installServer(device, file, signal);
    const session = new AndroidSession({
      device,
      sdk: memory.sdk,
      user: memory.user,
      brand: memory.brand,
      onTrouble: () => memory.onTrouble(),
      journal,
      serverPath,
      allowShell,
      onClosed: () => {
        memory.session = null;
        memory.onReleased();
      },
    });
    const cast = await Screencast.open(
      {
        device,
        file,
        screen,
        log,
        encoder: memory.encoder,
        bootId,
        absenceMs,
        onMessage: (message) => session.takeMessage(message),
        onResize: (size) => session.resized(size),
        onRefusedInput: () => session.inputRefused(),
      },
      signal,
    );
    memory.encoder = cast.encoder;
    session.begin(cast);
    memory.session = session;
    void session.lost.then(() => memory.onTrouble());
    return session;
  }

  async clean({ signal }: { signal: AbortSignal }): Promise<void> {
    const { session, device, journal, user, sdk, restarts, log } = this.#memory;
    if (session) throw new DriverError('failed', 'the phone is in use');
    await this.#guard(signal, async () => {
      const file = await this.#memory.serverFile(signal);
      const onRestart = (bootId: string) => this.#memory.onRestart(bootId);
      await cleanPhone({ device, journal, user, sdk, restarts, onRestart, file, log, signal });
    });
  }

  /**
   * Turns the screen on, dismisses the keyguard where no credential protects it, and keeps the screen on during the
   * session.
   */
  async #wake(signal: AbortSignal): Promise<void> {
    const { device, journal, brand } = this.#memory;
    const entries = await journal.read();
    const kept = entries?.settings ?? {};
    const wanted = Object.entries(SESSION_SETTINGS).filter(([name]) => Object.hasOwn(kept, name));
    const user = entries?.user ?? this.#memory.user;
    await writeSettings(device, user, Object.fromEntries(wanted), signal);
    const wakeUp = shellLine('input', 'keyevent', ANDROID_KEYS.WAKEUP);
    // The probe runs again with the screen on, because before Android 12 a phone whose screen is off does not check
    // the sender of a key.
    const results = await shellEach(device, [wakeUp, 'wm dismiss-keyguard', INPUT_PROBE], { signal });
    if (results.some(isRefused)) throw new AdbError(refusalProblem(brand));
    const problem = await lockProblem(device, signal);
    if (problem) throw new AdbError(problem);
  }

  async #guard<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#memory.onTrouble();
      signal.throwIfAborted();
      if (error instanceof AdbError) throw new DriverError('failed', error.message);
      throw error;
    }
  }
}
