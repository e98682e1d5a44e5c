/** Parts of data definitions that differ between the databases. */
export interface Vocabulary {
  /** A text type that compares byte by byte. */
  text: string;
  bytes: string;
  /** The clock of the database in Unix milliseconds, for use in triggers. */
  clock: string;
  /** Storage options, appended to the definition of a table with few rows that are updated constantly. */
  hotTable: string;
  supportsConcurrentWriters: boolean;
  /**
   * Waits until no other process migrates; null for a database whose transactions exclude each other anyway.
   */
  lock: string | null;
}

/**
 * One step of the schema. It must never be edited after its release, because existing databases are not changed.
 */
export interface Migration {
  id: number;
  name: string;
  /**
   * Minimum compatible schema version: code that knows the schema up to this id can work on a database with this
   * migration, which allows rolling upgrades.
   */
  minimumCompatibleSchema: number;
  statements(vocabulary: Vocabulary): string[];
}
