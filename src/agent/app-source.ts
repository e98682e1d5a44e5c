import type { AppPackage } from '../drivers/driver.ts';

/** Where a host gets uploaded apps from: the data folder beside it, or another machine. */
export interface AppSource {
  /**
   * The app with its files on this machine, where they stay until it is disposed of.
   * @throws AppSourceError when there is no such app, or it cannot be had now.
   */
  open(appId: string, options: OpenAppOptions): Promise<OpenApp>;
}

export interface OpenAppOptions {
  /** What the app is for. */
  lease: { sessionId: string; epoch: number };
  signal: AbortSignal;
}

export interface OpenApp extends AsyncDisposable {
  readonly app: AppPackage;
}

/** The message is for the client that asked for the app. */
export class AppSourceError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'AppSourceError';
  }
}
