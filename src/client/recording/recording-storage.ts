/** The destination of one file of a recording. `T` is the type of the finished file that the caller gets. */
export interface RecordingFile<T> {
  /** A `Target` of the package mediabunny. The type is not named here, because only recordings need the package. */
  readonly target: object;
  /** Returns the finished file, after everything has been written to the target and the target was closed. */
  take(): Promise<T>;
}

export interface RecordingStorage<T> {
  /** Maximum size of all files of one recording together, in bytes. */
  readonly maxBytes: number;
  create(): Promise<RecordingFile<T>>;
}
