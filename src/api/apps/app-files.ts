/** Where the files of uploaded apps are kept. */
export interface AppFiles {
  /** Makes room for an upload. Nothing of it is left once it is disposed of, unless it was kept. */
  draft(): Promise<AppDraft>;
  /** @throws Error when there is none. */
  readIcon(appId: string): Promise<Uint8Array>;
  /** Every file of the app, absolute paths. @throws Error when there are none. */
  list(appId: string): Promise<string[]>;
  /** Bytes that the app's files take. @throws Error when there are none. */
  storedBytes(appId: string): Promise<number>;
  /** Bytes that are free on the disk, for programs that are not root's. */
  freeBytes(): Promise<number>;
  /** Removes an app's files; none being there is no error. */
  remove(appId: string): Promise<void>;
  /** Removes what was half uploaded to processes that have ended. What is still coming in, wherever, stays. */
  removeAbandoned(): Promise<void>;
  /** Apps that have been here for a day and are not `known`: of another service, or of an upload cut short at its end. */
  strangers(known: (appId: string) => Promise<boolean>): Promise<string[]>;
}

export interface AppDraft extends AsyncDisposable {
  /** A folder on this machine, for what readUpload leaves of the file, and the `icon`. */
  readonly folder: string;
  /** The files are the app's from now on, also when the machine loses its power. */
  keep(appId: string): Promise<void>;
}

export const ICON_FILE = 'icon';
