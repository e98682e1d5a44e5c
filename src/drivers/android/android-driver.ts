import { join } from 'node:path';
import type { Log } from '../../util/log.ts';
import type { Driver, Phone } from '../driver.ts';
import type { AdbServerAddress } from './adb/adb-socket.ts';
import { type TrackedDevice, trackDevices } from './adb/device-tracker.ts';
import { Reconnector } from './adb/reconnector.ts';
import { PhoneEntry } from './phone-entry.ts';
import { groupByPhone } from './same-phone.ts';
import type { ScreenSettings } from './scrcpy/run.ts';
import { cachedScrcpyServer, type ScrcpyServerFile } from './scrcpy/server-file.ts';

export interface AndroidDriverOptions {
  /**
   * Part of the hash in the phones' identifiers: it makes them unique to this host and does not reveal the serial
   * numbers.
   */
  hostId: string;
  address: AdbServerAddress;
  /** Starts the adb server of this machine; null: this process must not start it. */
  startServer: ((signal: AbortSignal) => Promise<void>) | null;
  dataDir: string;
  /** Path of the operator's own scrcpy server file; null: the file in the data folder. */
  scrcpyServer: string | null;
  screen: ScreenSettings;
  /** Whether a borrower may use the phone's shell and adb (which includes the shell). Default: false. */
  allowShell?: boolean;
  /** Whether phones are restarted after each session. Default: false. */
  restarts?: boolean;
  log: Log;
  /** Expected SHA-256 of the scrcpy server file. Set by tests only. */
  scrcpySha256?: string;
  /** Set by tests only. */
  timings?: Partial<AndroidTimings>;
}

export interface AndroidTimings {
  /** How long a phone may be absent from adb before it is removed and its session is lost, in milliseconds. */
  absenceMs: number;
  /**
   * Pause between two attempts to connect to a phone on the network, in milliseconds: the initial and the maximum
   * value.
   */
  reconnectMs: number;
  maxReconnectMs: number;
  /** Pause between two reads of a phone's battery, in milliseconds. */
  batteryEveryMs: number;
}

const TIMINGS: AndroidTimings = {
  absenceMs: 10_000,
  reconnectMs: 2_000,
  maxReconnectMs: 60_000,
  // A phone in use loses a percent in one to ten minutes.
  batteryEveryMs: 120_000,
};

/** A phone on the network is removed when it has been unreachable for this long. */
const NETWORK_ABSENCE_MS = 24 * 3_600_000;
/** How often absent phones are checked, while there are any. */
const ABSENCE_POLL_MS = 250;
/** Maximum time that `start` waits for the phones to describe themselves. */
const DISCOVERY_TIMEOUT_MS = 5_000;

/** The phones that an adb server lists: those on USB, and those on the network that `adb connect` reached. */
export class AndroidDriver implements Driver {
  readonly #options: AndroidDriverOptions;
  readonly #closing = new AbortController();
  readonly #timings: AndroidTimings;
  /** One entry for each line of the adb server's list, and one for each absent phone. */
  readonly #entries = new Set<PhoneEntry>();
  readonly #reconnector: Reconnector;
  readonly #serverFile: (signal: AbortSignal) => Promise<ScrcpyServerFile>;
  /** The phones that shared a serial number at the last check, with their boot identifiers. */
  #sharedSerials = '';
  #onChange: (phones: Phone[]) => void = () => {};
  #tracking: Promise<void> = Promise.resolve();
  readonly #discovered = Promise.withResolvers<void>();
  #isServerDown = true;
  #absence: NodeJS.Timeout | null = null;

  constructor(options: AndroidDriverOptions) {
    this.#options = options;
    this.#timings = { ...TIMINGS, ...options.timings };
    const { address, log } = options;
    const { reconnectMs: pauseMs, maxReconnectMs: maxPauseMs } = this.#timings;
    const { signal } = this.#closing;
    const { dataDir, scrcpyServer: file, scrcpySha256: sha256 } = options;
    this.#serverFile = cachedScrcpyServer({ dataDir, file, log, sha256 }, signal);
    this.#reconnector = new Reconnector({ address, log, pauseMs, maxPauseMs, signal });
  }

  /**
   * Resolves when every phone that the adb server lists has described itself, or when there is no server. A host that
   * restarts and omits a phone from its first report would lose the session that runs on it. Phones that hang are not
   * waited for.
   */
  async start(onChange: (phones: Phone[]) => void): Promise<void> {
    this.#onChange = onChange;
    const { address, log, startServer } = this.#options;
    this.#tracking = trackDevices(
      {
        address,
        log,
        onDevices: (devices) => this.#update(devices),
        reviveServer: async (signal) => startServer?.(signal),
      },
      this.#closing.signal,
    );
    const late = setTimeout(() => this.#discovered.resolve(), DISCOVERY_TIMEOUT_MS);
    await this.#discovered.promise;
    clearTimeout(late);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    this.#discovered.resolve();
    if (this.#absence) clearInterval(this.#absence);
    await this.#tracking;
    await Promise.all([...this.#entries].map((entry) => entry.close()));
    this.#entries.clear();
  }

  #update(devices: TrackedDevice[] | null): void {
    if (this.#closing.signal.aborted) return;
    if (devices === null) {
      this.#isServerDown = true;
      if (!this.#options.startServer) this.#discovered.resolve();
      for (const entry of this.#entries) entry.update('server-away', null);
      return;
    }
    this.#isServerDown = false;
    const listed = this.#assign(devices);
    for (const [entry, { state, transport }] of listed) entry.update(state, transport);
    for (const entry of this.#entries) if (!listed.has(entry)) this.#handleAbsence(entry);
    this.#reportPhones();
  }

  /** Finds the entry of each line of the list. All lines are assigned before any entry is updated. */
  #assign(devices: TrackedDevice[]): Map<PhoneEntry, TrackedDevice> {
    const assigned = new Map<PhoneEntry, TrackedDevice>();
    const assign = (device: TrackedDevice, isFitting: (entry: PhoneEntry) => boolean) => {
      const entry = [...this.#entries].find(
        (it) => it.serial === device.serial && !assigned.has(it) && isFitting(it),
      );
      if (entry) assigned.set(entry, device);
      return entry !== undefined;
    };
    // A serial may be listed more than once. A phone that was connected before keeps its entry.
    const returned = devices.filter((device) => !assign(device, (it) => it.transport === device.transport));
    for (const device of returned) {
      if (!assign(device, () => true)) assigned.set(this.#add(device.serial), device);
    }
    return assigned;
  }

  /**
   * Handles a phone that the adb server no longer lists. It may come back; on the network this requires reconnecting
   * to it.
   */
  #handleAbsence(entry: PhoneEntry): void {
    if (!entry.isKnown) {
      this.#remove(entry);
      return;
    }
    entry.update('gone', null);
    this.#absence ??= setInterval(() => this.#checkAbsent(), ABSENCE_POLL_MS);
  }

  #checkAbsent(): void {
    for (const entry of this.#entries) {
      const limitMs = entry.isConnectionLost ? NETWORK_ABSENCE_MS : this.#timings.absenceMs;
      if (entry.isGone && entry.absentForMs >= limitMs && !entry.isInUse && !entry.isRestarting)
        this.#remove(entry);
    }
    const absent = [...this.#entries].filter((entry) => entry.isGone);
    const lost = absent.filter((entry) => entry.isConnectionLost).map((entry) => entry.serial);
    this.#reconnector.keepTrying(lost);
    if (absent.length > 0 || !this.#absence) return;
    clearInterval(this.#absence);
    this.#absence = null;
  }

  #remove(entry: PhoneEntry): void {
    this.#entries.delete(entry);
    entry.update('gone', null);
    void entry.close();
    this.#reportPhones();
  }

  #add(serial: string): PhoneEntry {
    const { address, hostId, dataDir, screen, allowShell = false, restarts = false, log } = this.#options;
    const entry = new PhoneEntry({
      serial,
      address,
      hostId,
      journalFolder: join(dataDir, 'android'),
      screen,
      allowShell,
      restarts,
      absenceMs: this.#timings.absenceMs,
      batteryEveryMs: this.#timings.batteryEveryMs,
      log,
      serverFile: this.#serverFile,
      onChange: () => this.#reportPhones(),
    });
    this.#entries.add(entry);
    return entry;
  }

  /** Reports each phone once, using the USB connection if the phone is connected over both USB and the network. */
  #reportPhones(): void {
    if (this.#closing.signal.aborted) return;
    const listings = Map.groupBy([...this.#entries].map(listingOf), ({ phone }) => phone.description.id);
    const phones: Phone[] = [];
    const shared: PhoneEntry[] = [];
    for (const sameId of listings.values()) {
      const preferred = groupByPhone(sameId).map(([first]) => first!);
      if (preferred.length === 1) phones.push(preferred[0]!.phone);
      else {
        phones.push(...preferred.map(({ entry }, index) => entry.phoneSharingSerialNumber(index)));
        shared.push(...sameId.map(({ entry }) => entry));
      }
    }
    this.#onChange(phones);
    this.#recheckShared(shared);
    if (!this.#isServerDown && ![...this.#entries].some((entry) => entry.isBeingQueried))
      this.#discovered.resolve();
  }

  /**
   * The entries may be one phone whose restart was noticed on only one of its two connections, so each new set is
   * queried once more.
   */
  #recheckShared(entries: PhoneEntry[]): void {
    const shared = entries.map(({ serial, bootId }) => `${serial} ${bootId}`).join('\n');
    if (shared === this.#sharedSerials) return;
    this.#sharedSerials = shared;
    if (shared) this.#options.log.warn({ phones: entries.length }, 'phones share a serial number');
    for (const entry of entries) entry.recheck();
  }
}

function listingOf(entry: PhoneEntry) {
  const { phone, serial, bootId, isInUse, isOnNetwork } = entry;
  const rank = isInUse ? -1 : (phone.problem ? 2 : 0) + (isOnNetwork ? 1 : 0);
  return { entry, phone, serial, bootId, rank };
}
