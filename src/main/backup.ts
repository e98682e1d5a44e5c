import { cp, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

export type { DatabaseContents } from '../store/copy-database.ts';

import { copyDatabase, type DatabaseContents, readDatabase } from '../store/copy-database.ts';
import { lockDataFolder } from '../store/lock-data-folder.ts';
import { silentLog } from '../util/log.ts';
import type { Config } from './config.ts';
import { dataFiles, ensureDataFolder } from './data-folder.ts';
import { openConfiguredStore } from './open-configured-store.ts';

/** It cannot be done as asked. One line, for the operator. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

/** Beside the database and the apps: what clients and phone hosts know this service by. */
const IDENTITY = ['api-key', 'host-id', 'tls'];
const DATABASE = 'phonebooth.db';
const APPS = 'apps';
/** Copies of the database that are tried, while apps come and go in between. */
const ATTEMPTS = 20;

/**
 * Copies everything that the service on this data folder knows into a new folder, while it runs: whole or not at all.
 * @throws BackupError, BadDatabaseError
 */
export async function backUp(config: Config, to: string): Promise<DatabaseContents> {
  const from = embedded(config, 'back up');
  const folder = resolve(to);
  if (await isThere(folder))
    throw new BackupError(`${folder} exists: name a folder that does not, such as ${folder}-2`);
  if (!(await isThere(from.database))) throw new BackupError(`there is no database in ${config.dataDir}`);
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
 * The apps before the database and after it: one that is deleted meanwhile was copied before, one that came is copied after.
 * One that came and went in between is in the database alone, which is copied once more then.
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
    if (left === 1) throw withoutFiles(missing, appsDir);
    await rm(copy);
  }
}

/**
 * Puts a backup in a data folder that has no database yet, and brings its schema up to date. Nothing in the folder is changed
 * unless the backup is whole.
 * @throws BackupError, BadDatabaseError, DataFolderInUseError
 */
export async function restore(config: Config, backup: string): Promise<DatabaseContents> {
  const to = embedded(config, 'restore');
  const from = resolve(backup);
  const contents = readDatabase(join(from, DATABASE));
  const missing = await missingApps(contents, join(from, APPS));
  if (missing.length > 0) throw withoutFiles(missing, join(from, APPS));
  await ensureDataFolder(config.dataDir);
  await using _lock = lockDataFolder(config.dataDir);
  if (await isThere(to.database)) {
    throw new BackupError(
      `${config.dataDir} has a database already: move it away, or name another folder in PHONEBOOTH_DATA_DIR`,
    );
  }
  await copyApps(join(from, APPS), config.appsDir);
  for (const name of IDENTITY) await copyIfThere(join(from, name), join(config.dataDir, name));
  const partial = `${to.database}.${process.pid}.partial`;
  copyDatabase(join(from, DATABASE), partial);
  await sync(config.dataDir);
  // Last, and at once: without it the folder is as empty as before.
  await rename(partial, to.database);
  await sync(config.dataDir, { deep: false });
  const store = await openConfiguredStore(config, silentLog);
  await store[Symbol.asyncDispose]();
  return contents;
}

function embedded({ databaseUrl, dataDir }: Config, what: string): ReturnType<typeof dataFiles> {
  if (databaseUrl !== null) {
    throw new BackupError(
      `the rows are in PostgreSQL: ${what} them by pg_dump and pg_restore, and the folder of apps by itself`,
    );
  }
  return dataFiles(dataDir);
}

/** An app's files never change once they are there; what is there already is left. */
async function copyApps(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true, mode: 0o700 });
  for (const name of await readdir(from).catch(() => [])) {
    if (name === 'drafts' || (await isThere(join(to, name)))) continue;
    await copyIfThere(join(from, name), join(to, name));
  }
}

/** Whole or not at all; what is deleted while it is copied was not wanted any more. */
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

const withoutFiles = ([id]: string[], folder: string) =>
  new BackupError(`the files of app ${id} are not in ${folder}`);

const isThere = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Puts what is in a folder on the disk, and the folder's own list of it. */
async function sync(path: string, { deep = true } = {}): Promise<void> {
  if (deep && (await stat(path)).isDirectory()) {
    for (const name of await readdir(path)) await sync(join(path, name));
  }
  await using handle = await open(path, 'r');
  await handle.sync();
}
