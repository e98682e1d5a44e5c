import { isConditionState } from './conditions/android-conditions.ts';
import type { State } from './conditions/condition.ts';
import { isPackageName } from './packages.ts';
import { type Baseline, isBaseline } from './processes.ts';
import { isKeptSetting, type Settings } from './settings.ts';

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
  /** Files that the session pushed to the shared storage, and folders that it created for them, as paths on the phone. */
  pushed: string[];
  folders: string[];
  /** Values of the settings before the session. A setting that could not be read is absent. */
  settings: Settings;
  /** States of the conditions before a session changed them, by name. */
  conditions: Readonly<Record<string, State>>;
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

export const NOTHING: Entries = {
  user: null,
  present: null,
  installed: [],
  launched: [],
  expansions: [],
  pushed: [],
  folders: [],
  settings: {},
  conditions: {},
  location: false,
  mockLocation: null,
  boot: null,
  restartedFrom: null,
};

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
  const conditions = Object.entries((read.conditions ?? {}) as Record<string, State>);
  return {
    user: Number.isSafeInteger(read.user) ? (read.user as number) : null,
    present: isNames(read.present) ? read.present : null,
    installed: list(read.installed).filter(isPackageName),
    launched: list(read.launched).filter(isPackageName),
    expansions: list(read.expansions).filter(isPath),
    pushed: list(read.pushed).filter(isPath),
    folders: list(read.folders).filter(isPath),
    settings: Object.fromEntries(settings.filter(([name, value]) => isKeptSetting(name, value))),
    conditions: Object.fromEntries(conditions.filter(([name, state]) => isConditionState(name, state))),
    location: read.location === true,
    mockLocation: isMode(read.mockLocation) ? read.mockLocation : null,
    boot: bootNoteOf(read.boot),
    restartedFrom: typeof read.restartedFrom === 'string' ? read.restartedFrom : null,
  };
}

/** An absolute path on the phone. */
const isPath = (value: unknown): value is string =>
  typeof value === 'string' && value.startsWith('/') && !value.includes('\0');

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
