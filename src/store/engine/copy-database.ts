import { chmodSync, closeSync, fsyncSync, openSync } from 'node:fs';
import Database from 'better-sqlite3';
import { KNOWN_SCHEMA } from './migrate.ts';

/** Another process that writes blocks this one only briefly. */
const BUSY_TIMEOUT_MS = 10_000;

/** The file is not a database of this program, or is damaged. The message is one line, for the operator. */
export class BadDatabaseError extends Error {
  constructor(file: string, reason: string) {
    super(`${file} ${reason}`);
    this.name = 'BadDatabaseError';
  }
}

/**
 * Copies a consistent snapshot of the embedded database while a server may be writing to it. Readers do not block
 * writers (https://www.sqlite.org/wal.html), and `vacuum into` is a reader. The copy is durable when this returns.
 */
export function copyDatabase(from: string, to: string): void {
  const db = new Database(from, { fileMustExist: true, timeout: BUSY_TIMEOUT_MS });
  try {
    db.prepare('vacuum into ?').run(to);
  } finally {
    db.close();
  }
  chmodSync(to, 0o600);
  // `vacuum into` does not sync the file (https://www.sqlite.org/lang_vacuum.html)
  const file = openSync(to, 'r+');
  fsyncSync(file);
  closeSync(file);
}

/** What a copy contains. */
export interface DatabaseContents {
  schema: number;
  accounts: number;
  sessions: number;
  /** Identifiers of the apps whose files belong to the copy. */
  apps: string[];
  /** Number of artifacts whose content was stored. The content is not part of the copy. */
  artifacts: number;
}

/** @throws BadDatabaseError when the file is not a database, is damaged, or was made by a newer version */
export function readDatabase(file: string): DatabaseContents {
  let db: Database.Database;
  try {
    db = new Database(file, { readonly: true, fileMustExist: true });
  } catch {
    throw new BadDatabaseError(file, 'does not exist or cannot be opened; name the folder of a backup');
  }
  try {
    const schema = db.prepare<[], number>('select max(id) from migrations').pluck().get() ?? 0;
    if (schema > KNOWN_SCHEMA) {
      const known = `was written by a newer version (schema ${schema}; this version supports up to ${KNOWN_SCHEMA}); use the version that wrote it`;
      throw new BadDatabaseError(file, known);
    }
    const state = db.prepare<[], string>('pragma integrity_check').pluck().get();
    if (state !== 'ok') throw new BadDatabaseError(file, `is corrupted, so use another backup: ${state}`);
    const count = (table: string) => db.prepare<[], number>(`select count(*) from ${table}`).pluck().get()!;
    const table = db.prepare("select 1 from sqlite_schema where type = 'table' and name = ?");
    const has = (name: string) => table.get(name) !== undefined;
    return {
      schema,
      accounts: count('accounts'),
      sessions: count('sessions'),
      apps: has('apps')
        ? db.prepare<[], string>('select id from apps where deleted_at is null').pluck().all()
        : [],
      artifacts: has('artifacts') ? count('artifacts where stored_at is not null and deleted_at is null') : 0,
    };
  } catch (error) {
    if (error instanceof BadDatabaseError) throw error;
    throw new BadDatabaseError(file, `is not a Phonebooth database: ${(error as Error).message}`);
  } finally {
    db.close();
  }
}
