import { cp, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

export type { DatabaseContents } from '../store/engine/copy-database.ts';

import { copyDatabase, type DatabaseContents, readDatabase } from '../store/engine/copy-database.ts';
import { dataFiles, ensureDataFolder } from '../store/engine/data-folder.ts';
import { lockDataFolder } from '../store/engine/lock-data-folder.ts';
import type { StoreSettings } from '../store/open-store.ts';
import { openStoreForCommand } from './open-store.ts';

interface BackupSettings extends StoreSettings {
  /** The folder of the files of uploaded apps. */
  appsDir: string;
}

/** The backup or restore cannot be done as requested. The message is one line for the operator. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** The files besides the database and the apps that identify this service to clients and phone hosts. */
const IDENTITY = ['api-key', 'host-id', 'tls'];
const DATABASE = 'phonebooth.db';
const APPS = 'apps';
/** Maximum number of attempts to copy the database consistently while apps are added and deleted. */
const ATTEMPTS = 20;

/**
 * Copies all data of the service in this data folder to a new folder while the service runs. On failure nothing is
 * left there.
 * @throws BackupError, BadDatabaseError
 */
export async function backUp(config: BackupSettings, to: string): Promise<DatabaseContents> {
  const from = embedded(config, 'back up');
  const folder = resolve(to);
  if (await isThere(folder))
    throw new BackupError(`${folder} already exists; name a new folder, such as ${folder}-2`);
  if (!(await isThere(from.database)))
    throw new BackupError(
      `${config.dataDir} does not contain a database; set PHONEBOOTH_DATA_DIR to the data folder of the service`,
    );
  const partial = `${folder}.${process.pid}.partial`;
  try {
    await mkdir(partial, { recursive: true, mode: 0o700 });
    const contents = await copyContents(from.database, config.appsDir, partial);
    for (const name of IDENTITY) await copyIfThere(join(config.dataDir, name), join(partial, name));
    await sync(partial);
    await rename(partial, folder);
    await sync(dirname(folder), { deep: false });
    return contents;
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Copies the apps both before and after the database. The first pass includes apps that are deleted while the
 * database is copied; the second includes apps that are added. An app that is added and deleted between the passes is
 * in the database copy only; the database is then copied again.
 */
async function copyContents(database: string, appsDir: string, to: string): Promise<DatabaseContents> {
  const copy = join(to, DATABASE);
  await copyApps(appsDir, join(to, APPS));
  for (let left = ATTEMPTS; ; left -= 1) {
    copyDatabase(database, copy);
    await copyApps(appsDir, join(to, APPS));
    const contents = readDatabase(copy);
    const missing = await missingApps(contents, join(to, APPS));
    if (missing.length === 0) return contents;
    if (left === 1)
      throw withoutFiles(missing, appsDir, 'set PHONEBOOTH_APPS_DIR to the app folder of the service');
    await rm(copy);
  }
}

/**
 * Restores a backup to a data folder that has no database yet, and migrates its schema to the current version. The
 * folder is unchanged if the backup is incomplete.
 * @throws BackupError, BadDatabaseError, DataFolderInUseError
 */
export async function restore(config: BackupSettings, backup: string): Promise<DatabaseContents> {
  const to = embedded(config, 'restore');
  const from = resolve(backup);
  const contents = readDatabase(join(from, DATABASE));
  const missing = await missingApps(contents, join(from, APPS));
  if (missing.length > 0) throw withoutFiles(missing, join(from, APPS), 'restore another backup');
  await ensureDataFolder(config.dataDir);
  await using _lock = lockDataFolder(config.dataDir);
  if (await isThere(to.database)) {
    throw new BackupError(
      `${config.dataDir} already contains a database; move it away, or set PHONEBOOTH_DATA_DIR to another ` +
        'folder',
    );
  }
  await copyApps(join(from, APPS), config.appsDir);
  for (const name of IDENTITY) await copyIfThere(join(from, name), join(config.dataDir, name));
  const partial = `${to.database}.${process.pid}.partial`;
  copyDatabase(join(from, DATABASE), partial);
  await sync(config.dataDir);
  // The rename is the last step and atomic: before it the data folder has no database.
  await rename(partial, to.database);
  await sync(config.dataDir, { deep: false });
  const store = await openStoreForCommand(config);
  await store[Symbol.asyncDispose]();
  return contents;
}

function embedded({ databaseUrl, dataDir }: BackupSettings, what: string): ReturnType<typeof dataFiles> {
  if (databaseUrl !== null) {
    throw new BackupError(
      `the database is PostgreSQL; ${what} it with pg_dump and pg_restore, and copy the app folder ` +
        'separately',
    );
  }
  return dataFiles(dataDir);
}

/** The files of an app never change, so existing copies are kept. */
async function copyApps(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const name of await readdir(from).catch(() => [])) {
    if (name === 'drafts' || (await isThere(join(to, name)))) continue;
    await copyIfThere(join(from, name), join(to, name));
  }
}

/** Copies a file or folder atomically. One that is deleted during the copy is skipped. */
async function copyIfThere(from: string, to: string): Promise<void> {
  const partial = join(dirname(to), `.${basename(to)}.partial`);
  try {
    await cp(from, partial, { recursive: true, preserveTimestamps: true });
    await rm(to, { recursive: true, force: true });
    await rename(partial, to);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

async function missingApps({ apps }: DatabaseContents, folder: string): Promise<string[]> {
  const there = await Promise.all(apps.map((id) => isThere(join(folder, id))));
  return apps.filter((_, n) => !there[n]);
}

const withoutFiles = ([id]: string[], folder: string, remedy: string) =>
  new BackupError(`the files of app ${id} are missing from ${folder}; ${remedy}`);

const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Syncs a file, or a folder and its contents, to disk. */
async function sync(path: string, { deep = true } = {}): Promise<void> {
  if (deep && (await stat(path)).isDirectory()) {
    for (const name of await readdir(path)) await sync(join(path, name));
  }
  await using handle = await open(path, 'r');
  await handle.sync();
}
