import { readFile, rm } from 'node:fs/promises';
import type { Conditions } from '../../contract/sockets/conditions.ts';
import type { Log } from '../../util/log.ts';
import { writeFileAtomically } from '../../util/write-file-atomically.ts';
import type { InstalledPackage } from './worker-messages.ts';

/** What a session has changed on a phone. */
export interface PhoneState {
  readonly apps: readonly InstalledPackage[];
  readonly conditions: Conditions;
}

/** The content of the file. Icons are in base64. */
interface Stored {
  sessionId: string;
  apps: (Omit<InstalledPackage, 'icon'> & { icon: string | null })[];
  /** Absent if the file was written by an earlier version. */
  conditions?: Conditions;
}

const UNCHANGED: PhoneState = { apps: [], conditions: {} };

/**
 * The apps and the conditions of a simulated phone in a session, kept on disk until the phone is cleaned. Like a real
 * phone, the phone has them again when the session continues after a restart of its host.
 */
export class KeptState {
  readonly #file: string;
  readonly #log: Log;
  #sessionId = '';
  #state = UNCHANGED;
  #writing: Promise<void> = Promise.resolve();

  constructor(file: string, log: Log) {
    this.#file = file;
    this.#log = log;
  }

  /** Resolves when the changes so far have been written. */
  get written(): Promise<void> {
    return this.#writing;
  }

  /** Begins or continues a session, and returns what it has changed before. */
  async open(sessionId: string): Promise<PhoneState> {
    this.#sessionId = sessionId;
    this.#state = await this.#read(sessionId);
    return this.#state;
  }

  addApp(app: InstalledPackage): Promise<void> {
    return this.#change({ apps: [...this.#without(app.packageName), app] });
  }

  removeApp(packageName: string): Promise<void> {
    return this.#change({ apps: this.#without(packageName) });
  }

  setConditions(conditions: Conditions): Promise<void> {
    return this.#change({ conditions });
  }

  async clear(): Promise<void> {
    this.#state = UNCHANGED;
    await this.#writing;
    await rm(this.#file, { force: true });
  }

  #without(packageName: string): InstalledPackage[] {
    return this.#state.apps.filter((app) => app.packageName !== packageName);
  }

  /** A phone whose state cannot be kept works nevertheless. */
  #change(change: Partial<PhoneState>): Promise<void> {
    this.#state = { ...this.#state, ...change };
    this.#writing = this.#writing
      .then(() => this.#write())
      .catch((error) => {
        this.#log.warn(
          { err: error, file: this.#file },
          'the state of a simulated phone could not be written',
        );
      });
    return this.#writing;
  }

  async #write(): Promise<void> {
    const { conditions } = this.#state;
    const apps = this.#state.apps.map((app) => ({
      ...app,
      icon: app.icon && Buffer.from(app.icon).toString('base64'),
    }));
    await writeFileAtomically(
      this.#file,
      JSON.stringify({ sessionId: this.#sessionId, apps, conditions } satisfies Stored),
    );
  }

  async #read(sessionId: string): Promise<PhoneState> {
    try {
      const stored = JSON.parse(await readFile(this.#file, 'utf8')) as Stored;
      if (stored.sessionId !== sessionId) return UNCHANGED;
      const apps = stored.apps.map((app) => ({
        ...app,
        icon: app.icon === null ? null : Buffer.from(app.icon, 'base64'),
      }));
      return { apps, conditions: stored.conditions ?? {} };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
        this.#log.warn({ err: error, file: this.#file }, 'the state of a simulated phone could not be read');
      return UNCHANGED;
    }
  }
}
