import { join } from 'node:path';
import type { Log } from '../../util/log.ts';
import type { Driver, Phone } from '../driver.ts';
import { type AdbServerAddress, openAdbSocket, readText } from './adb/adb-socket.ts';
import { type TrackedDevice, trackDevices } from './adb/device-tracker.ts';
import { PhoneEntry } from './phone-entry.ts';
import type { ScreenSettings } from './scrcpy/run.ts';
import { loadScrcpyServer, type ScrcpyServerFile } from './scrcpy-server.ts';

export interface AndroidDriverOptions {
  /** Makes the phones' identifiers this host's own, and their serials nobody else's business. */
  hostId: string;
  address: AdbServerAddress;
  /** Starts the adb server of this machine; null: it is not ours to start. */
  startServer: ((signal: AbortSignal) => Promise<void>) | null;
  dataDir: string;
  /** The operator's own scrcpy server file; null: the one in the data folder. */
  scrcpyServer: string | null;
  screen: ScreenSettings;
  /** Whether whoever borrows a phone may use its shell, and adb, which is more of the same; by default not. */
  allowShell?: boolean;
  log: Log;
  /** What the scrcpy server file has to be; for tests. */
  scrcpySha256?: string;
}

/** After an adb server has come back it finds its phones one by one; until then those missing are not gone. */
const RETURN_GRACE_MS = 5_000;
const CONNECT_TIMEOUT_MS = 10_000;
/** Longest that a start waits for what its phones say of themselves. */
const FIRST_LOOK_MS = 5_000;
/** A file that could not be had is not asked for again at once. */
const FILE_RETRY_MS = 30_000;

/** Phones that an adb server sees: over USB, and those that `adb connect` reached over the network. */
export class AndroidDriver implements Driver {
  readonly #options: AndroidDriverOptions;
  readonly #closing = new AbortController();
  readonly #entries = new Map<string, PhoneEntry>();
  #onChange: (phones: Phone[]) => void = () => {};
  #tracking: Promise<void> = Promise.resolve();
  readonly #looked = Promise.withResolvers<void>();
  #serverAway = true;
  #graceUntil = 0;
  #grace: NodeJS.Timeout | null = null;
  #devices: TrackedDevice[] = [];
  #file: Promise<ScrcpyServerFile> | null = null;

  constructor(options: AndroidDriverOptions) {
    this.#options = options;
  }

  /**
   * Resolves when it is known what each phone is that the adb server has, or that there is no server: a host that
   * came back and left a phone out would have lost the session that goes on there. Phones that hang are not waited for.
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
    const late = setTimeout(() => this.#looked.resolve(), FIRST_LOOK_MS);
    await this.#looked.promise;
    clearTimeout(late);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closing.abort();
    this.#looked.resolve();
    if (this.#grace) clearTimeout(this.#grace);
    await this.#tracking;
    await Promise.all([...this.#entries.values()].map((entry) => entry.close()));
    this.#entries.clear();
  }

  #update(devices: TrackedDevice[] | null): void {
    if (this.#closing.signal.aborted) return;
    if (devices === null) {
      this.#serverAway = true;
      if (!this.#options.startServer) this.#looked.resolve();
      for (const entry of this.#entries.values()) entry.update('server-away', null);
      return;
    }
    if (this.#serverAway) this.#serverIsBack(devices);
    this.#devices = devices;
    const present = new Map(devices.map((device) => [device.serial, device]));
    // All are known before the first of them says anything.
    const updates = devices.map((device) => ({ entry: this.#entry(device.serial), ...device }));
    for (const { entry, state, transport } of updates) entry.update(state, transport);
    for (const [serial, entry] of this.#entries) {
      if (present.has(serial) || performance.now() < this.#graceUntil) continue;
      this.#entries.delete(serial);
      entry.update('gone', null);
      void entry.close();
    }
    this.#tell();
  }

  /** A new server knows nothing of the phones on the network that the one before it had been told to connect to. */
  #serverIsBack(devices: TrackedDevice[]): void {
    this.#serverAway = false;
    if (this.#entries.size === 0) return;
    this.#graceUntil = performance.now() + RETURN_GRACE_MS;
    this.#grace = setTimeout(() => this.#update(this.#devices), RETURN_GRACE_MS + 1);
    const missing = [...this.#entries.keys()].filter(
      (serial) => /:\d+$/.test(serial) && !devices.some((device) => device.serial === serial),
    );
    for (const serial of missing) void this.#connect(serial);
  }

  async #connect(serial: string): Promise<void> {
    const { address, log } = this.#options;
    const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(CONNECT_TIMEOUT_MS)]);
    try {
      const socket = await openAdbSocket(address, [`host:connect:${serial}`], signal);
      const abort = () => socket.destroy();
      signal.addEventListener('abort', abort, { once: true });
      await readText(socket).finally(() => socket.destroy());
    } catch (error) {
      if (!this.#closing.signal.aborted)
        log.info({ error }, 'a phone on the network could not be reached again');
    }
  }

  #entry(serial: string): PhoneEntry {
    const known = this.#entries.get(serial);
    if (known) return known;
    const { address, hostId, dataDir, screen, allowShell = false, log } = this.#options;
    const entry = new PhoneEntry({
      serial,
      address,
      hostId,
      journalFolder: join(dataDir, 'android'),
      screen,
      allowShell,
      log,
      serverFile: (signal) => this.#serverFile(signal),
      onChange: () => this.#tell(),
    });
    this.#entries.set(serial, entry);
    return entry;
  }

  /** Loaded when the first phone is there, and once for all. */
  async #serverFile(signal: AbortSignal): Promise<ScrcpyServerFile> {
    signal.throwIfAborted();
    if (!this.#file) {
      const { dataDir, scrcpyServer, scrcpySha256, log } = this.#options;
      const loading = loadScrcpyServer(
        { dataDir, file: scrcpyServer, log, sha256: scrcpySha256 },
        this.#closing.signal,
      );
      this.#file = loading;
      loading.catch(() => {
        setTimeout(() => {
          if (this.#file === loading) this.#file = null;
        }, FILE_RETRY_MS).unref();
      });
    }
    return this.#file;
  }

  /** A phone that is there over USB and over the network is one phone, over USB. */
  #tell(): void {
    if (this.#closing.signal.aborted) return;
    const phones = new Map<string, { phone: Phone; rank: number }>();
    for (const entry of this.#entries.values()) {
      const { phone } = entry;
      if (!phone) continue;
      const rank = (phone.problem ? 2 : 0) + (entry.isOnNetwork ? 1 : 0);
      const other = phones.get(phone.description.id);
      if (!other || rank < other.rank) phones.set(phone.description.id, { phone, rank });
    }
    this.#onChange([...phones.values()].map(({ phone }) => phone));
    if (!this.#serverAway && ![...this.#entries.values()].some((entry) => entry.isAsked))
      this.#looked.resolve();
  }
}
