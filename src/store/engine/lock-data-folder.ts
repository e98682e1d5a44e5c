import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

/**
 * The locks of this process. Without a reference, the garbage collector would close the connection and release its
 * lock.
 */
const held = new Set<Database.Database>();

/** Another server is using this data folder. The message is one line, for the operator. */
export class DataFolderInUseError extends Error {
  constructor(folder: string) {
    super(
      `another Phonebooth server is using ${folder}; stop it, or set PHONEBOOTH_DATA_DIR to another folder`,
    );
    this.name = 'DataFolderInUseError';
  }
}

/**
 * Keeps other servers from using a data folder, which must exist, until it is disposed. The kernel holds the lock, on
 * a separate file: it is released however the process ends, and the command line can still open the database beside a
 * running server.
 * @throws DataFolderInUseError
 */
export function lockDataFolder(folder: string): AsyncDisposable {
  const file = join(folder, 'lock.db');
  const lock = new Database(file, { timeout: 0 });
  try {
    lock.exec('begin exclusive');
    chmodSync(file, 0o600);
  } catch (error) {
    lock.close();
    if (error instanceof Database.SqliteError && error.code.startsWith('SQLITE_BUSY')) {
      throw new DataFolderInUseError(folder);
    }
    throw error;
  }
  held.add(lock);
  return {
    async [Symbol.asyncDispose]() {
      held.delete(lock);
      lock.close();
    },
  };
}
