import type { Target } from 'mediabunny';

/** Where one file of a recording goes; `T` is what its reader gets in the end. */
export interface RecordingFile<T> {
  readonly target: Target;
  /** The whole file, once everything was written to the target and that was closed. */
  take(): Promise<T>;
}

export interface RecordingStorage<T> {
  /** Bytes that all files of one recording may have together. */
  readonly maxBytes: number;
  create(): Promise<RecordingFile<T>>;
}
