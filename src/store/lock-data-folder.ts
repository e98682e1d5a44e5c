import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';

/** What this process holds. A connection that nobody refers to is closed by the garbage collector, and its lock lost. */
const held = new Set<Database.Database>();

/** Another server runs on this folder. One line, for the operator. */
export class DataFolderInUseError extends Error {
  constructor(folder: string) {
    super(
      `another Phonebooth server is running on ${folder}: stop it, or choose another PHONEBOOTH_DATA_DIR`,
    );
    this.name = 'DataFolderInUseError';
  }
}

/**
 * Keeps other servers off an existing data folder until it is disposed. The lock is the kernel's, on a file of its own:
 * it goes with the process however that ends, and the command line can still open the database beside a server.
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
