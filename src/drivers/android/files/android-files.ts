import { addAbortListener } from 'node:events';
import { posix } from 'node:path';
import { isPartialName, MAX_LISTED_FILES, sharedPath } from '../../../contract/http/phone-file.ts';
import {
  DriverError,
  type PhoneFileEntry,
  PhoneFileError,
  type PhoneFileFacts,
  type PhoneFiles,
  type PhoneFolderList,
  type WriteFileOptions,
} from '../../driver.ts';
import { AdbError } from '../adb/adb-socket.ts';
import { shellLine } from '../adb/quote.ts';
import { shellEach } from '../adb/shell-batch.ts';
import { failureOf } from '../adb/shell-result.ts';
import { listFolder, pullFile, SYNC_V2_FEATURES, type SyncStat, statPath } from '../adb/sync-files.ts';
import type { PhoneContext } from '../control/phone-context.ts';
import { partialPath, scanMedia } from './pushed-files.ts';
import { storageRoot } from './storage-root.ts';

/** stat(2). */
const TYPE_MASK = 0o170000;
const FOLDER = 0o040000;
const REGULAR = 0o100000;
/** Number of entries that are read of a folder, to sort them. */
const MAX_READ = 20_000;
/** Space that a push must leave free. Android warns and stops apps when less is left. */
const RESERVE_BYTES = 256 * 1024 * 1024;
const CLEAN_UP_MS = 10_000;

type Path = readonly string[];

interface Place {
  root: string;
  isV2: boolean;
}

/**
 * The files in the shared storage of an Android phone, over the `sync:` service of its daemon. The shared storage has
 * no symbolic links (its file system rejects them), so a path that resolves to another one leads out of it.
 */
export class AndroidFiles implements PhoneFiles {
  readonly #phone: Pick<PhoneContext, 'device' | 'journal' | 'user'>;
  readonly #writing = new Set<string>();

  constructor(phone: Pick<PhoneContext, 'device' | 'journal' | 'user'>) {
    this.#phone = phone;
  }

  list(path: Path, { signal }: { signal: AbortSignal }): Promise<PhoneFolderList> {
    return this.#guard(signal, async () => {
      const place = await this.#check(path, signal);
      const folder = this.#pathOf(place, path);
      const facts = await this.#stat(place, folder, signal);
      if (!facts) throw notFound(path);
      if (!isFolder(facts)) throw notAFolder(path);
      const items: PhoneFileEntry[] = [];
      let read = 0;
      await this.#sync(signal, async (socket) => {
        for await (const { name, ...entry } of listFolder(socket, folder, place.isV2)) {
          if (++read > MAX_READ) return;
          const isFile = isRegular(entry);
          if (!(isFile || isFolder(entry)) || isPartialName(name)) continue;
          items.push({ name, kind: isFile ? 'file' : 'folder', ...factsOf(entry) });
        }
      });
      items.sort((a, b) => (a.kind === b.kind ? (a.name < b.name ? -1 : 1) : a.kind === 'folder' ? -1 : 1));
      return {
        items: items.slice(0, MAX_LISTED_FILES),
        hasMore: read > MAX_READ || items.length > MAX_LISTED_FILES,
      };
    });
  }

  read(path: Path, { signal }: { signal: AbortSignal }) {
    return this.#guard(signal, async () => {
      const place = await this.#check(path, signal);
      const file = this.#pathOf(place, path);
      const facts = await this.#stat(place, file, signal);
      if (!facts) throw notFound(path);
      if (!isRegular(facts)) throw notAFile(path);
      return { ...factsOf(facts), bytes: this.#bytes(file, facts.size, signal) };
    });
  }

  write(path: Path, content: AsyncIterable<Uint8Array>, options: WriteFileOptions): Promise<PhoneFileFacts> {
    return this.#guard(options.signal, async () => {
      const place = await this.#check(path, options.signal);
      const target = this.#pathOf(place, path);
      if (this.#writing.has(target))
        throw new PhoneFileError('busy', `${sharedPath(path)} is being written already`);
      this.#writing.add(target);
      try {
        return await this.#write(place, path, content, options);
      } finally {
        this.#writing.delete(target);
      }
    });
  }

  remove(path: Path, { signal }: { signal: AbortSignal }): Promise<void> {
    return this.#guard(signal, async () => {
      if (path.length === 0) throw new PhoneFileError('not_empty', `${sharedPath([])} cannot be deleted`);
      const place = await this.#check(path, signal);
      const target = this.#pathOf(place, path);
      const facts = await this.#stat(place, target, signal);
      if (!facts) throw notFound(path);
      const { device, user } = this.#phone;
      const result = await device.shell(shellLine(isFolder(facts) ? 'rmdir' : 'rm', target), { signal });
      const failure = failureOf(result);
      if (failure !== null && /not empty/i.test(failure))
        throw new PhoneFileError(
          'not_empty',
          `${sharedPath(path)} is not empty; delete what it contains first`,
        );
      if (failure !== null) throw new AdbError(`${sharedPath(path)} could not be deleted: ${failure}`);
      await scanMedia(device, [target], user, signal);
    });
  }

  async #write(
    place: Place,
    path: Path,
    content: AsyncIterable<Uint8Array>,
    { overwrite, size, ready, signal }: WriteFileOptions,
  ): Promise<PhoneFileFacts> {
    const { device, journal, user } = this.#phone;
    const target = this.#pathOf(place, path);
    const partial = partialPath(target);
    const before = await this.#stat(place, target, signal);
    if (before && !isRegular(before)) throw notAFile(path);
    if (before && !overwrite) throw exists(path);
    await this.#assertSpace(place, size, signal);
    for (const folder of await this.#missingFolders(place, path, signal))
      await journal.add('folders', folder);
    await journal.add('pushed', target);
    await this.#must(['mkdir', '-p', posix.dirname(target)], signal);
    ready();
    try {
      await device.push(partial, content, signal, null);
      // With -n an existing file stays, without an error.
      await this.#must(['mv', overwrite ? '-f' : '-n', partial, target], signal);
      if (await this.#stat(place, partial, signal)) throw exists(path);
    } catch (error) {
      const cleanUp = AbortSignal.timeout(CLEAN_UP_MS);
      await device.shell(shellLine('rm', '-f', partial), { signal: cleanUp }).catch(() => {});
      if (error instanceof AdbError && /no space left/i.test(error.message)) throw full();
      throw error;
    }
    await scanMedia(device, [target], user, signal);
    const facts = await this.#stat(place, target, signal);
    if (!facts) throw new AdbError(`${sharedPath(path)} was deleted on the phone at once`);
    return factsOf(facts);
  }

  async #assertSpace({ root }: Place, size: number | null, signal: AbortSignal): Promise<void> {
    const { stdout } = await this.#phone.device.shell(shellLine('stat', '-f', '-c', '%a %S', root), {
      signal,
    });
    const [, blocks, bytes] = /^(\d+) (\d+)\s*$/.exec(stdout.toString('utf8')) ?? [];
    // A phone that does not report it fails when it is full.
    if (blocks !== undefined && Number(blocks) * Number(bytes) < (size ?? 0) + RESERVE_BYTES) throw full();
  }

  /** The folders that a write to a path creates. @throws PhoneFileError if a part of the path is a file */
  async #missingFolders(place: Place, path: Path, signal: AbortSignal): Promise<string[]> {
    const missing: string[] = [];
    for (let depth = 1; depth < path.length; depth++) {
      const names = path.slice(0, depth);
      const facts = missing.length > 0 ? null : await this.#stat(place, this.#pathOf(place, names), signal);
      if (facts && !isFolder(facts)) throw notAFolder(names);
      if (!facts) missing.push(this.#pathOf(place, names));
    }
    return missing;
  }

  /** Checks that no part of the path leads elsewhere. @throws PhoneFileError */
  async #check(path: Path, signal: AbortSignal): Promise<Place> {
    const { device, user } = this.#phone;
    const [root, features] = await Promise.all([
      storageRoot(device, user, signal),
      device.features(signal).then((list) => list.split(',').map((feature) => feature.trim())),
    ]);
    const place = { root, isV2: SYNC_V2_FEATURES.every((feature) => features.includes(feature)) };
    const expected = path.map((_, index) => this.#pathOf(place, path.slice(0, index + 1)));
    const results = await shellEach(
      device,
      expected.map((part) => shellLine('realpath', part)),
      { signal },
    );
    for (const [index, { exitCode, stdout }] of results.entries()) {
      // A part that does not exist has no path.
      if (exitCode === 0 && stdout.toString('utf8').replace(/\n$/, '') !== expected[index])
        throw new PhoneFileError('outside', 'must not lead out of the shared storage over a symbolic link');
    }
    return place;
  }

  #pathOf({ root }: Place, path: Path): string {
    return [root, ...path].join('/');
  }

  #stat({ isV2 }: Place, path: string, signal: AbortSignal): Promise<SyncStat | null> {
    return this.#sync(signal, (socket) => statPath(socket, path, isV2));
  }

  async #must(words: string[], signal: AbortSignal): Promise<void> {
    const failure = failureOf(await this.#phone.device.shell(shellLine(...words), { signal }));
    if (failure !== null) throw new AdbError(`${words[0]} failed on the phone: ${failure}`);
  }

  async #sync<T>(
    signal: AbortSignal,
    use: (socket: Awaited<ReturnType<PhoneContext['device']['open']>>) => Promise<T>,
  ): Promise<T> {
    const socket = await this.#phone.device.open('sync:', signal);
    using _aborting = addAbortListener(signal, () => socket.destroy());
    try {
      return await use(socket);
    } finally {
      socket.destroy();
    }
  }

  async *#bytes(file: string, size: number, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const socket = await this.#phone.device.open('sync:', signal);
    using _aborting = addAbortListener(signal, () => socket.destroy());
    let left = size;
    try {
      for await (const bytes of pullFile(socket, file)) {
        yield bytes.subarray(0, left);
        left -= Math.min(left, bytes.length);
        if (left === 0) return;
      }
    } finally {
      socket.destroy();
    }
  }

  async #guard<T>(signal: AbortSignal, operate: () => Promise<T>): Promise<T> {
    try {
      return await operate();
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof AdbError) throw new DriverError('failed', error.message);
      throw error;
    }
  }
}

const isFolder = ({ mode }: SyncStat) => (mode & TYPE_MASK) === FOLDER;
const isRegular = ({ mode }: SyncStat) => (mode & TYPE_MASK) === REGULAR;
const factsOf = (facts: SyncStat): PhoneFileFacts => ({
  size: isRegular(facts) ? facts.size : 0,
  modifiedAt: facts.modified * 1000,
});
const notFound = (path: Path) => new PhoneFileError('not_found', `${sharedPath(path)} does not exist`);
const exists = (path: Path) => new PhoneFileError('exists', `${sharedPath(path)} exists already`);
const notAFile = (path: Path) =>
  new PhoneFileError('not_a_file', `${sharedPath(path)} is a folder, not a file`);
const notAFolder = (path: Path) =>
  new PhoneFileError('not_a_folder', `${sharedPath(path)} is a file, not a folder`);
const full = () => new PhoneFileError('no_space', 'the phone has not enough space left; delete files on it');
