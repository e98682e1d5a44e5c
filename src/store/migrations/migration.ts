/** Words of the data definition that differ between the engines. */
export interface Vocabulary {
  /** A text type that compares byte by byte. */
  text: string;
  bytes: string;
  /** The engine's clock in Unix milliseconds, for what triggers write. */
  clock: string;
  /** What follows a table of few rows that are updated all the time. */
  hotTable: string;
  supportsConcurrentWriters: boolean;
  /** Waits until no other process migrates; null where a transaction excludes all others anyway. */
  lock: string | null;
}

/** One step of the schema. Never edited after it has been released: what it made stays as it is. */
export interface Migration {
  id: number;
  name: string;
  /** Code that knows the schema up to here can work on a database that has this step; a running fleet is upgraded by it. */
  livableSince: number;
  statements(vocabulary: Vocabulary): string[];
}
