import { readFile, rename, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../util/log.ts';
import { writeWhole } from '../../util/write-whole.ts';
import type { AdbDevice } from './adb/adb-device.ts';
import { AdbError } from './adb/adb-socket.ts';
import { isPackageName, listPackages, type PackageLists } from './packages.ts';
import { type Baseline, isBaseline, readBaseline } from './processes.ts';
import { isKeptSetting, readKeptSettings, type Settings } from './settings.ts';

/** What a session has done to a phone and must be undone. */
export interface Entries {
  /**
   * Android's id of the user whose packages these are; null: written by an earlier version that did not record it.
   */
  user: number | null;
  /** Packages that this user had before the session; null: not known. */
  present: string[] | null;
  /** Packages that the session installed, without those that were already there. */
  installed: string[];
  /** Packages that the session launched. */
  launched: string[];
  /** Expansion files that the session installed, as paths on the phone. */
  expansions: string[];
  /** Values of the settings before the session. A setting that could not be read is absent. */
  settings: Settings;
  location: boolean;
  /** The shell's app-op mode for mock locations before the session; null: unchanged. */
  mockLocation: string | null;
  /** The state of the shell's user before the session; null: not known. */
  boot: BootNote | null;
  /** The boot in which the phone was cleaned before it was restarted; null: it was not restarted. */
  restartedFrom: string | null;
}

/** The state of the shell's user at the start of a session, within one boot of the phone. */
export interface BootNote {
  /** The boot identifier. */
  id: string;
  /** Null: the phone does not list its processes. */
  processes: Baseline | null;
  /** Port forwards from the host's adb server to the phone. */
  forwards: string[];
}

export interface SessionStart {
  user: number;
  bootId: string;
  /** Whether the session may start processes in the shell. If so, the processes that ran before it must be known. */
  allowShell: boolean;
}

const NOTHING: Entries = {
  user: null,
  present: null,
  installed: [],
  launched: [],
  expansions: [],
  settings: {},
  location: false,
  mockLocation: null,
  boot: null,
  restartedFrom: null,
};
/** Maximum number of names in a list. A client that launches the same app again adds nothing. */
const MAX_NAMES = 1_000;
/** The settings service alone may be restarting, which takes it a few seconds. */
const SETTINGS_ATTEMPTS = 10;
/** Attempts to read the list of apps, and the settings when the phone returns only some of them. */
const ATTEMPTS = 3;
const RETRY_MS = 500;

/**
 * One phone's list of changes to be undone. Each entry is written to disk before the phone is changed, so that after
 * a crash at any moment the next process knows about every change.
 */
export class Journal {
  readonly #file: string;
  readonly #device: AdbDevice;
  readonly #log: Log;
  #entries: Entries | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(file: string, device: AdbDevice, log: Log) {
    this.#file = file;
    this.#device = device;
    this.#log = log;
  }

  /** Null: no session has used the phone since it was last clean. */
  async read(): Promise<Entries | null> {
    if (this.#entries) return this.#entries;
    const text = await readFile(this.#file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (text === null) return null;
    try {
      this.#entries = parseEntries(text);
    } catch (error) {
      // Otherwise the phone would be out of service until an operator deletes the file.
      this.#log.error(
        { error, file: this.#file },
        'damaged journal of a phone set aside; its settings are not restored',
      );
      await rename(this.#file, `${this.#file}.damaged`);
      this.#entries = { ...NOTHING };
    }
    return this.#entries;
  }

  add(list: 'installed' | 'launched' | 'expansions', name: string): Promise<void> {
    return this.#change((entries) => {
      const names = entries[list];
      if (names.includes(name)) return entries;
      if (names.length >= MAX_NAMES)
        throw new Error(`a session can install or launch at most ${MAX_NAMES} apps; start a new session`);
      return { ...entries, [list]: [...names, name] };
    });
  }

  /** `mockLocation` is the shell's app-op mode before the change. Only the first call's value is kept. */
  markLocation(mockLocation: string): Promise<void> {
    return this.#change((entries) => ({
      ...entries,
      location: true,
      mockLocation: entries.mockLocation ?? mockLocation,
    }));
  }

  /** Records that the phone is clean except for a pending restart. */
  markRestart(bootId: string): Promise<void> {
    return this.#change((entries) => ({ ...entries, restartedFrom: bootId }));
  }

  /**
   * Records the settings and the list of apps at the start of a session. Entries of an unfinished earlier session
   * take precedence.
   * @throws AdbError when the phone's apps or settings cannot be read, because the session could then not be undone.
   */
  async begin({ user, bootId, allowShell }: SessionStart, signal: AbortSignal): Promise<void> {
    const before = await this.read();
    const found = await this.#readSettings(before?.user ?? user, signal);
    // An unfinished earlier session may have installed apps, so a list that is read now would not show what was there
    // before it.
    const present = before === null ? (await this.#readPackages(user, signal)).all : null;
    const boot = before?.boot ?? {
      id: bootId,
      processes: await this.#readProcesses(allowShell, signal),
      forwards: await this.#device.forwards(signal),
    };
    await this.#change((entries) => ({
      ...entries,
      boot,
      restartedFrom: null,
      user: entries.user ?? user,
      present: entries.present ?? present,
      settings: { ...found, ...entries.settings },
    }));
  }

  /** Records that the phone is clean. */
  async clear(): Promise<void> {
    await this.#writing;
    await rm(this.#file, { force: true });
    this.#entries = null;
  }

  /** Runs one change at a time, because each builds on the previous one. */
  #change(change: (entries: Entries) => Entries): Promise<void> {
    const turn = this.#writing.then(async () => {
      const before = await this.read();
      const after = change(before ?? NOTHING);
      if (before === after) return;
      await writeWhole(this.#file, JSON.stringify(after));
      this.#entries = after;
    });
    this.#writing = turn.catch(() => {});
    return turn;
  }

  /**
   * A single setting that cannot be read is omitted. If none can be read, the settings service is unavailable, and
   * reading is retried.
   */
  async #readSettings(user: number, signal: AbortSignal): Promise<Settings> {
    const { values, failures } = await this.#retry(SETTINGS_ATTEMPTS, signal, async (attempt) => {
      const reading = await readKeptSettings(this.#device, user, signal);
      const [failure] = Object.values(reading.failures);
      const isPartial = Object.keys(reading.values).length > 0;
      if (failure !== undefined && !(isPartial && attempt >= ATTEMPTS))
        throw new AdbError(`the phone's settings could not be read: ${failure}`);
      return reading;
    });
    for (const [setting, reason] of Object.entries(failures))
      this.#log.warn(
        { setting, reason },
        'setting of a phone could not be read; it is not restored after the session',
      );
    return values;
  }

  #readPackages(user: number, signal: AbortSignal): Promise<PackageLists> {
    return this.#retry(ATTEMPTS, signal, () => listPackages(this.#device, user, signal));
  }

  async #readProcesses(areNeeded: boolean, signal: AbortSignal): Promise<Baseline | null> {
    try {
      return await readBaseline(this.#device, signal);
    } catch (error) {
      if (areNeeded || !(error instanceof AdbError) || this.#device.state !== 'device') throw error;
      this.#log.warn(
        { error },
        'processes of a phone could not be listed; none will be stopped after the session',
      );
      return null;
    }
  }

  async #retry<T>(attempts: number, signal: AbortSignal, read: (attempt: number) => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await read(attempt);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof AdbError) || attempt === attempts || this.#device.state !== 'device')
          throw error;
        await delay(RETRY_MS, undefined, { signal });
      }
    }
  }
}

/** Every phone has packages, so an empty list comes from an answer that an earlier version could not parse. */
const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every(isPackageName);

/**
 * Parses the file's entries. Omits what an earlier version may have taken from an answer that it could not parse,
 * such as an error message in the place of a setting's value.
 * @throws Error when the file does not hold entries.
 */
export function parseEntries(text: string): Entries {
  const read = JSON.parse(text) as Partial<Record<keyof Entries, unknown>> | null;
  if (typeof read !== 'object' || read === null)
    throw new SyntaxError('the journal does not contain an object');
  const list = (value: unknown) => (Array.isArray(value) ? value : []);
  const settings = Object.entries((read.settings ?? {}) as Settings);
  return {
    user: Number.isSafeInteger(read.user) ? (read.user as number) : null,
    present: isNames(read.present) ? read.present : null,
    installed: list(read.installed).filter(isPackageName),
    launched: list(read.launched).filter(isPackageName),
    expansions: list(read.expansions).filter((path) => typeof path === 'string' && !path.includes('\0')),
    settings: Object.fromEntries(settings.filter(([name, value]) => isKeptSetting(name, value))),
    location: read.location === true,
    mockLocation: isMode(read.mockLocation) ? read.mockLocation : null,
    boot: bootNoteOf(read.boot),
    restartedFrom: typeof read.restartedFrom === 'string' ? read.restartedFrom : null,
  };
}

/** An app-op mode of AOSP AppOpsManager.java. */
const isMode = (value: unknown): value is string => typeof value === 'string' && /^[a-z]{1,20}$/.test(value);

function bootNoteOf(value: unknown): BootNote | null {
  const { id, processes, forwards } = (value ?? {}) as Record<keyof BootNote, unknown>;
  if (typeof id !== 'string' || !Array.isArray(forwards)) return null;
  return {
    id,
    processes: isBaseline(processes) ? processes : null,
    forwards: forwards.filter((local) => typeof local === 'string'),
  };
}
