import type { AppPackage } from '../drivers/driver.ts';

/** Where a host gets uploaded apps from: a local data folder, or another machine. */
export interface AppSource {
  /**
   * The app with its files on this machine. The files stay until the returned object is disposed of.
   * @throws AppSourceError when the app does not exist or is currently unavailable.
   */
  open(appId: string, options: OpenAppOptions): Promise<OpenApp>;
}

export interface OpenAppOptions {
  /** The lease that the app is opened for. */
  lease: { sessionId: string; epoch: number };
  signal: AbortSignal;
}

export interface OpenApp extends AsyncDisposable {
  readonly app: AppPackage;
}

/** The message is shown to the client that requested the app. */
export class AppSourceError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'AppSourceError';
  }
}
