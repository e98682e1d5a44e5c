import { readFile, rename, rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../util/log.ts';
import { writeFileAtomically } from '../../util/write-file-atomically.ts';
import type { AdbDevice } from './adb/adb-device.ts';
import { AdbError } from './adb/adb-socket.ts';
import { type Entries, NOTHING, parseEntries } from './journal-entries.ts';
import { listPackages, type PackageLists } from './packages.ts';
import { type Baseline, readBaseline } from './processes.ts';
import { readKeptSettings, type Settings } from './settings.ts';

export interface SessionStart {
  user: number;
  bootId: string;
  /** Whether the session may start processes in the shell. If so, the processes that ran before it must be known. */
  allowShell: boolean;
}

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
        { err: error, file: this.#file },
        'damaged journal of a phone set aside; its settings are not restored',
      );
      await rename(this.#file, `${this.#file}.damaged`);
      this.#entries = { ...NOTHING };
    }
    return this.#entries;
  }

  add(list: 'installed' | 'launched' | 'expansions' | 'pushed' | 'folders', name: string): Promise<void> {
    return this.#change((entries) => {
      const names = entries[list];
      if (names.includes(name)) return entries;
      if (names.length >= MAX_NAMES)
        throw new Error(
          `a session can install, launch or push at most ${MAX_NAMES} apps or files; start a new session`,
        );
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

  /** Records the states of conditions before they are changed. Only the first state of each is kept. */
  keepConditions(states: Entries['conditions']): Promise<void> {
    return this.#change((entries) => {
      const isKnown = Object.keys(states).every((name) => Object.hasOwn(entries.conditions, name));
      return isKnown ? entries : { ...entries, conditions: { ...states, ...entries.conditions } };
    });
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
      await writeFileAtomically(this.#file, JSON.stringify(after));
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
        { err: error },
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
