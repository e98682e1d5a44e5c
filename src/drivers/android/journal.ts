import { readFile, rename, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../util/log.ts';
import { writeWhole } from '../../util/write-whole.ts';
import type { AdbDevice } from './adb/adb-device.ts';
import { AdbError } from './adb/adb-socket.ts';
import { isPackageName, listPackages, type PackageLists } from './packages.ts';
import { type Baseline, isBaseline, readBaseline } from './processes.ts';
import { isKeptSetting, readKeptSettings, type Settings } from './settings.ts';

/** What a session has done to a phone that has to be undone. */
export interface Entries {
  /** Android's number for the user whose packages these are; null: an earlier version did not note it. */
  user: number | null;
  /** Packages that this user had before it; null: they are not known. */
  present: string[] | null;
  /** Packages that the session put there; those that were there before are not among them. */
  installed: string[];
  /** Packages that it brought to the front. */
  launched: string[];
  /** Expansion files of apps that it put there, by their paths on the phone. */
  expansions: string[];
  /** Settings as they were before; one that could not be read is absent. */
  settings: Settings;
  location: boolean;
  /** The mode of the shell's permission for mock locations before it; null: it is unchanged. */
  mockLocation: string | null;
  /** What the shell's user had before it; null: it is not known. */
  boot: BootNote | null;
  /** The boot in which the phone was cleaned and then restarted; null: it was not. */
  restartedFrom: string | null;
}

/** What a session finds of the shell's user as it begins, in one life of the phone. */
export interface BootNote {
  /** The boot identifier. */
  id: string;
  /** null: the phone does not list its processes. */
  processes: Baseline | null;
  /** Forwards of the host's adb server to the phone. */
  forwards: string[];
}

export interface SessionStart {
  user: number;
  bootId: string;
  /** Whether the session may start processes of its own: then those from before it have to be known. */
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
/** A client that launches the same app again adds nothing. */
const MAX_NAMES = 1_000;
/** The service for settings alone may be starting again, which takes it a few seconds. */
const SETTINGS_ATTEMPTS = 10;
/** Attempts at settings of which the phone answers for some and not for others, and at the list of apps. */
const ATTEMPTS = 3;
const RETRY_MS = 500;

/**
 * One phone's list of what is to be undone. Each entry is on disk before the phone is touched, so that a crash at any
 * moment leaves nothing behind that the next life does not know of.
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

  /** null: no session has touched the phone since it was clean. */
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
      // The phone would be out of service until an operator deletes the file.
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
      if (names.length >= MAX_NAMES) throw new Error(`more than ${MAX_NAMES} apps in one session`);
      return { ...entries, [list]: [...names, name] };
    });
  }

  /** `mockLocation`: the mode of the shell's permission before; that of the first call counts. */
  markLocation(mockLocation: string): Promise<void> {
    return this.#change((entries) => ({
      ...entries,
      location: true,
      mockLocation: entries.mockLocation ?? mockLocation,
    }));
  }

  /** The phone is clean but for a restart. */
  markRestart(bootId: string): Promise<void> {
    return this.#change((entries) => ({ ...entries, restartedFrom: bootId }));
  }

  /**
   * Notes the settings and the list of apps at a session's start. What an unfinished session noted before counts for
   * more.
   * @throws AdbError when the phone's apps or settings cannot be read: the session could not be undone.
   */
  async begin({ user, bootId, allowShell }: SessionStart, signal: AbortSignal): Promise<void> {
    const found = await this.#readSettings(signal);
    const before = await this.read();
    // Only a session that has not installed anything yet can tell what was there before it.
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

  /** The phone is clean. */
  async clear(): Promise<void> {
    await this.#writing;
    await rm(this.#file, { force: true });
    this.#entries = null;
  }

  /** One at a time: each builds on the one before. */
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

  /** One key that cannot be read is left out. None of them: the settings service is away, and is waited for. */
  async #readSettings(signal: AbortSignal): Promise<Settings> {
    const { values, failures } = await this.#retry(SETTINGS_ATTEMPTS, signal, async (attempt) => {
      const reading = await readKeptSettings(this.#device, signal);
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
      this.#log.warn({ error }, 'processes of a phone could not be listed; none is killed after the session');
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

/** No phone is without packages: an empty list is an answer that an earlier version could not read. */
const isNames = (value: unknown): value is string[] =>
  Array.isArray(value) && value.length > 0 && value.every(isPackageName);

/**
 * Entries from the file. What an earlier version may have taken from an answer that could not be read, such as the
 * text of an error in the place of a setting's value, is left out.
 * @throws Error when the file does not hold entries.
 */
export function parseEntries(text: string): Entries {
  const read = JSON.parse(text) as Partial<Record<keyof Entries, unknown>> | null;
  if (typeof read !== 'object' || read === null) throw new SyntaxError('the journal does not hold an object');
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

/** A mode of AOSP AppOpsManager.java. */
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
