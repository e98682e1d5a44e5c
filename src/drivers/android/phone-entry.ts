import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../util/log.ts';
import { AdbDevice, type DeviceState } from './adb/adb-device.ts';
import type { AdbServerAddress } from './adb/adb-socket.ts';
import { AndroidPhone, type PhoneMemory } from './android-phone.ts';
import { readBatteryPercent } from './battery.ts';
import { Journal } from './journal.ts';
import { permissionProblem } from './permissions.ts';
import { BootingError, describePhone, type PhoneFacts, phoneId, unknownPhone } from './phone-description.ts';
import { problemOf, RESTARTING, SHARED_SERIAL_NUMBER } from './phone-problems.ts';
import { isNetworkSerial } from './same-phone.ts';
import type { ScreenSettings } from './scrcpy/run.ts';
import type { ScrcpyServerFile } from './scrcpy/server-file.ts';
import { lockProblem } from './screen-lock.ts';

export interface PhoneEntryOptions {
  serial: string;
  /** How long a phone may be absent from adb before its session is lost, in milliseconds. */
  absenceMs: number;
  /** Pause between two reads of the battery, in milliseconds. */
  batteryEveryMs: number;
  address: AdbServerAddress;
  hostId: string;
  journalFolder: string;
  screen: ScreenSettings;
  allowShell: boolean;
  restarts: boolean;
  log: Log;
  serverFile: (signal: AbortSignal) => Promise<ScrcpyServerFile>;
  /** Called when the phone's description or problem has changed. */
  onChange: () => void;
}

const BEING_QUERIED = 'reading the properties of the phone';
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
/** A phone that has not restarted within this time is assumed to have failed to restart. */
const RESTART_MS = 180_000;
const BATTERY_TIMEOUT_MS = 10_000;
/** Time limit for all the queries that describe a phone. */
const DESCRIBE_TIMEOUT_MS = 25_000;

/**
 * One serial of the adb server. Queries the phone's description each time it connects, and keeps the state that
 * outlives its connections.
 */
export class PhoneEntry {
  readonly #options: PhoneEntryOptions;
  readonly #device: AdbDevice;
  readonly #closing = new AbortController();
  #facts: PhoneFacts | null = null;
  #memory: PhoneMemory | null = null;
  #problem: string | null = BEING_QUERIED;
  #bootId: string | null = null;
  #restart: { bootId: string; deadline: number } | null = null;
  /** The last state before the phone disappeared. */
  #stateBefore: DeviceState | null = null;
  #queryAbort: AbortController | null = null;
  #queryDone: Promise<void> = Promise.resolve();

  constructor(options: PhoneEntryOptions) {
    this.#options = options;
    this.#device = new AdbDevice(options.address, options.serial);
  }

  get serial(): string {
    return this.#options.serial;
  }

  get transport(): bigint | null {
    return this.#device.transport;
  }

  get isOnNetwork(): boolean {
    return isNetworkSerial(this.#options.serial);
  }

  /** The phone is being queried for its description and has not answered yet. */
  get isBeingQueried(): boolean {
    return this.#problem === BEING_QUERIED;
  }

  /** Whether the phone has ever described itself. */
  get isKnown(): boolean {
    return this.#facts !== null;
  }

  /** The boot identifier that the phone has returned since adb last listed it again. */
  get bootId(): string | null {
    return this.#bootId;
  }

  /** A session is running or starting. */
  get isInUse(): boolean {
    return this.#memory !== null && (this.#memory.session !== null || this.#memory.isOpening);
  }

  /** The phone was ordered to restart and has not answered since. */
  get isRestarting(): boolean {
    return this.#restart !== null && performance.now() < this.#restart.deadline;
  }

  get isGone(): boolean {
    return this.#device.state === 'gone';
  }

  /** Milliseconds since adb last listed the phone; 0 while it does. */
  get absentForMs(): number {
    return this.#device.absentForMs;
  }

  /**
   * Whether the connection broke, as opposed to being closed by `adb disconnect`. An adb server lists a phone that it
   * has lost as offline while it tries to reconnect (AOSP transport.cpp, ReconnectHandler).
   */
  get isConnectionLost(): boolean {
    return this.isOnNetwork && this.#stateBefore !== 'device';
  }

  get phone(): AndroidPhone {
    return this.#phone(this.#id, this.#problem);
  }

  /** The phone, while other phones have the same serial number. All but the first need distinct identifiers. */
  phoneSharingSerialNumber(index: number): AndroidPhone {
    const id = index === 0 ? this.#id : phoneId(this.#options.hostId, `${this.#id}\n${index}`);
    return this.#phone(id, SHARED_SERIAL_NUMBER);
  }

  get #id(): string {
    const { serial, hostId } = this.#options;
    return phoneId(hostId, this.#facts?.serialNumber ?? serial);
  }

  #phone(id: string, ownProblem: string | null): AndroidPhone {
    const { serial } = this.#options;
    this.#memory ??= this.#createMemory(this.#id);
    const description = this.#facts?.description ?? unknownPhone(serial);
    // A running session handles the phone's problems itself, and reports when it gives up.
    const problem = this.isInUse ? null : ownProblem;
    return new AndroidPhone({ id, ...description }, problem, this.#memory);
  }

  update(state: DeviceState, transport: bigint | null): void {
    const before = { state: this.#device.state, transport: this.#device.transport };
    if (state === before.state && transport === before.transport) return;
    this.#device.update(state, transport);
    if (state !== 'gone') this.#stateBefore = state;
    this.#bootId = null;
    this.#queryAbort?.abort();
    const isExpected = this.isRestarting && (state === 'gone' || state === 'offline');
    this.#problem = isExpected ? RESTARTING : (problemOf(state) ?? BEING_QUERIED);
    if (state === 'device') this.#restartQuery();
    this.#options.onChange();
  }

  /** Queries the phone's description again. */
  recheck(): void {
    if (this.#device.state === 'device' && !this.isBeingQueried) this.#restartQuery();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#queryDone;
  }

  /** Starts a query in the background. */
  #restartQuery(): void {
    this.#queryAbort?.abort();
    this.#queryAbort = new AbortController();
    this.#queryDone = this.#query(AbortSignal.any([this.#queryAbort.signal, this.#closing.signal]));
  }

  /**
   * Queries the phone until it answers. A phone that is booting or hangs is queried again, with exponential backoff
   * if it hangs.
   */
  async #query(signal: AbortSignal): Promise<void> {
    for (let wait = RETRY_MS; !signal.aborted; wait = Math.min(MAX_RETRY_MS, wait * 2)) {
      try {
        await this.#queryOnce(signal);
        await this.#followBattery(signal);
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof BootingError) wait = RETRY_MS;
        else this.#options.log.info({ err: error }, 'phone is not available yet');
        // While the phone restarts, commands on it fail in many ways.
        this.#setProblem(this.isRestarting ? RESTARTING : (error as Error).message);
      }
      await delay(wait, undefined, { signal }).catch(() => {});
    }
  }

  /** Reads the battery periodically, until the signal is aborted. A phone that does not answer keeps its last value. */
  async #followBattery(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await delay(this.#options.batteryEveryMs, undefined, { signal, ref: false }).catch(() => {});
      const facts = this.#facts;
      if (signal.aborted || !facts) return;
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(BATTERY_TIMEOUT_MS)]);
      const known = facts.description.battery_percent;
      const percent = await readBatteryPercent(this.#device, deadline).catch(() => known);
      if (signal.aborted || percent === known) continue;
      this.#facts = { ...facts, description: { ...facts.description, battery_percent: percent } };
      this.#options.onChange();
    }
  }

  /** @throws Error with a message for the operator. */
  async #queryOnce(signal: AbortSignal): Promise<void> {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(DESCRIBE_TIMEOUT_MS)]);
    const facts = await describePhone(this.#device, deadline);
    if (facts.serialNumber !== this.#facts?.serialNumber || facts.sdk !== this.#facts.sdk)
      this.#memory = null;
    this.#facts = facts;
    if (this.#memory && !this.isInUse) this.#memory.user = facts.user;
    const isNewBoot = facts.bootId !== this.#bootId;
    this.#bootId = facts.bootId;
    if (isNewBoot) this.#options.onChange();
    if (this.isRestarting && facts.bootId === this.#restart?.bootId) throw new Error(RESTARTING);
    this.#restart = null;
    const locked = await lockProblem(this.#device, deadline);
    if (locked) throw new Error(locked);
    const refused = await permissionProblem(this.#device, facts.description.brand, deadline);
    if (refused) throw new Error(refused);
    await this.#options.serverFile(signal);
    if (!signal.aborted) this.#setProblem(null);
  }

  #setProblem(problem: string | null): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#options.onChange();
  }

  #createMemory(id: string): PhoneMemory {
    const { journalFolder, screen, allowShell, restarts, absenceMs, log, serverFile, onChange } =
      this.#options;
    return {
      device: this.#device,
      journal: new Journal(join(journalFolder, `${id}.json`), this.#device, log),
      sdk: this.#facts?.sdk ?? 0,
      user: this.#facts?.user ?? 0,
      brand: this.#facts?.description.brand ?? 'unknown',
      screen,
      allowShell,
      log,
      serverFile,
      encoder: null,
      session: null,
      isOpening: false,
      absenceMs,
      restarts,
      onRestart: (bootId) => {
        this.#restart = { bootId, deadline: performance.now() + RESTART_MS };
        this.#setProblem(RESTARTING);
      },
      onReleased: onChange,
      onTrouble: () => {
        if (this.#device.state === 'device') this.#restartQuery();
      },
    };
  }
}
