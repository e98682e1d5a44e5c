import { readFile, rm } from 'node:fs/promises';
import { writeWhole } from '../../util/write-whole.ts';
import type { AdbDevice } from './adb/adb-device.ts';
import { shellLine } from './adb/quote.ts';
import { ownPackages } from './own-packages.ts';

/** What a session has done to a phone that has to be undone. */
export interface Entries {
  /** Packages that were there before it, the system's own apart; null: it is not known which. */
  present: string[] | null;
  /** Packages that the session put there; those that were there before are not among them. */
  installed: string[];
  /** Packages that it brought to the front. */
  launched: string[];
  /** Expansion files of apps that it put there, by their paths on the phone. */
  expansions: string[];
  /** Settings as they were before: `namespace key` → value, null where there was none. */
  settings: Record<string, string | null>;
  location: boolean;
}

const NOTHING: Entries = {
  present: null,
  installed: [],
  launched: [],
  expansions: [],
  settings: {},
  location: false,
};
/** A client that launches the same app again adds nothing. */
const MAX_NAMES = 1_000;
/** What people change on a phone by the way, and what a session changes itself; `namespace key`. */
export const KEPT_SETTINGS = [
  'global stay_on_while_plugged_in',
  'system accelerometer_rotation',
  'system user_rotation',
  'system screen_brightness',
  'system screen_brightness_mode',
  'system screen_off_timeout',
  'system font_scale',
  'secure default_input_method',
];

/**
 * One phone's list of what is to be undone. Each entry is on disk before the phone is touched, so that a crash at any
 * moment leaves nothing behind that the next life does not know of.
 */
export class Journal {
  readonly #file: string;
  readonly #device: AdbDevice;
  #entries: Entries | null = null;
  #writing: Promise<void> = Promise.resolve();

  constructor(file: string, device: AdbDevice) {
    this.#file = file;
    this.#device = device;
  }

  /** null: no session has touched the phone since it was clean. */
  async read(): Promise<Entries | null> {
    if (this.#entries) return this.#entries;
    const text = await readFile(this.#file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    this.#entries = text === null ? null : { ...NOTHING, ...(JSON.parse(text) as Partial<Entries>) };
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

  markLocation(): Promise<void> {
    return this.#change((entries) => ({ ...entries, location: true }));
  }

  /**
   * A session begins: keeps the settings and the list of apps as they are. What an unfinished session kept before
   * counts for more.
   */
  async begin(signal: AbortSignal): Promise<void> {
    const line = KEPT_SETTINGS.map((name) => shellLine('settings', 'get', ...name.split(' '))).join('; ');
    const values = (await this.#device.text(line, { signal })).split('\n').map((value) => value.trim());
    const found = Object.fromEntries(KEPT_SETTINGS.map((name, index) => [name, settingOf(values[index])]));
    // An unfinished session of before there were such lists may have installed what is there now: it has none.
    const present = (await this.read()) === null ? await ownPackages(this.#device, signal) : null;
    await this.#change((entries) => ({
      ...entries,
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
}

/** `settings get` says `null` of what is not set. */
function settingOf(text: string | undefined): string | null {
  return text === undefined || text === '' || text === 'null' ? null : text;
}
