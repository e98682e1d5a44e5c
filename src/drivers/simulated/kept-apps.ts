import { readFile, rm } from 'node:fs/promises';
import type { Log } from '../../util/log.ts';
import { writeFileAtomically } from '../../util/write-file-atomically.ts';
import type { InstalledPackage } from './worker-messages.ts';

/** The content of the file. Icons are in base64. */
interface Stored {
  sessionId: string;
  apps: (Omit<InstalledPackage, 'icon'> & { icon: string | null })[];
}

/**
 * The apps that a session has installed on a simulated phone, kept on disk until the phone is cleaned. Like a real phone
 * that restarts, the phone has them again when the session continues after a restart of its host.
 */
export class KeptApps {
  readonly #file: string;
  readonly #log: Log;
  #sessionId = '';
  #apps: readonly InstalledPackage[] = [];
  #writing: Promise<void> = Promise.resolve();

  constructor(file: string, log: Log) {
    this.#file = file;
    this.#log = log;
  }

  /** Begins or continues a session, and returns the apps that it has installed before. */
  async open(sessionId: string): Promise<readonly InstalledPackage[]> {
    this.#sessionId = sessionId;
    this.#apps = await this.#read(sessionId);
    return this.#apps;
  }

  add(app: InstalledPackage): Promise<void> {
    return this.#change([...this.#without(app.packageName), app]);
  }

  remove(packageName: string): Promise<void> {
    return this.#change(this.#without(packageName));
  }

  async clear(): Promise<void> {
    this.#apps = [];
    await this.#writing;
    await rm(this.#file, { force: true });
  }

  #without(packageName: string): InstalledPackage[] {
    return this.#apps.filter((app) => app.packageName !== packageName);
  }

  /** A phone whose apps cannot be kept works nevertheless. */
  #change(apps: readonly InstalledPackage[]): Promise<void> {
    this.#apps = apps;
    this.#writing = this.#writing
      .then(() => this.#write())
      .catch((error) => {
        this.#log.warn({ error, file: this.#file }, 'the apps of a simulated phone could not be written');
      });
    return this.#writing;
  }

  async #write(): Promise<void> {
    const apps = this.#apps.map((app) => ({
      ...app,
      icon: app.icon && Buffer.from(app.icon).toString('base64'),
    }));
    await writeFileAtomically(
      this.#file,
      JSON.stringify({ sessionId: this.#sessionId, apps } satisfies Stored),
    );
  }

  async #read(sessionId: string): Promise<InstalledPackage[]> {
    try {
      const stored = JSON.parse(await readFile(this.#file, 'utf8')) as Stored;
      if (stored.sessionId !== sessionId) return [];
      return stored.apps.map((app) => ({
        ...app,
        icon: app.icon === null ? null : Buffer.from(app.icon, 'base64'),
      }));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
        this.#log.warn({ error, file: this.#file }, 'the apps of a simulated phone could not be read');
      return [];
    }
  }
}
