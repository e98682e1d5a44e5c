/** Storage for the files of uploaded apps. */
export interface AppFiles {
  /** Creates a folder for an upload. Disposing the draft removes everything in it, unless it was kept. */
  draft(): Promise<AppDraft>;
  /** @throws Error when the app has no icon. */
  readIcon(appId: string): Promise<Uint8Array>;
  /** Absolute paths of all files of the app. @throws Error when the app has no files. */
  list(appId: string): Promise<string[]>;
  /** Disk space that the app's files take, in bytes. @throws Error when the app has no files. */
  storedBytes(appId: string): Promise<number>;
  /** Free disk space for processes other than root's, in bytes. */
  freeBytes(): Promise<number>;
  /** Removes an app's files. It is not an error if there are none. */
  remove(appId: string): Promise<void>;
  /**
   * Apps of which it is unknown whether their row exists, because the database did not confirm it, with the time of the
   * upload, `performance.now()`. The oldest is the first.
   */
  readonly undecided: Map<string, number>;
  /**
   * Removes the partial uploads of processes that have ended. Uploads in progress stay, whichever process receives
   * them.
   */
  removeAbandoned(): Promise<void>;
  /**
   * Finds orphaned apps: older than a day and not `known`. They belong to another service, or to an upload that was
   * interrupted just before it completed.
   */
  findOrphans(known: (appId: string) => Promise<boolean>): Promise<string[]>;
}

export interface AppDraft extends AsyncDisposable {
  /** A local folder for the `icon` and the files that `readUpload` creates. */
  readonly folder: string;
  /** Makes the files those of the app. They survive a power failure from then on. */
  keep(appId: string): Promise<void>;
}
