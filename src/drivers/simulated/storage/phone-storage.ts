import { MAX_LISTED_FILES, sharedPath } from '../../../contract/http/phone-file.ts';
import {
  type PhoneFileEntry,
  PhoneFileError,
  type PhoneFileFacts,
  type PhoneFolderList,
} from '../../driver.ts';
import { sampleFiles } from './sample-files.ts';

/** Maximum size of all files of a phone. They are in memory. */
export const STORAGE_BYTES = 64 * 1024 * 1024;
/** Maximum number of files and folders of a phone. */
const MAX_ENTRIES = 5_000;
/** Maximum number of files that are being written at the same time. */
const MAX_WRITES = 8;
/** Smaller parts of a file are merged. */
const MIN_CHUNK_BYTES = 64 * 1024;

interface FileNode {
  kind: 'file';
  chunks: readonly Uint8Array[];
  size: number;
  modifiedAt: number;
  /** Identifies this content of the file, so that a reader notices that the file was replaced. */
  version: number;
}

interface FolderNode {
  kind: 'folder';
  modifiedAt: number;
  children: Map<string, Node>;
}

type Node = FileNode | FolderNode;

interface Write {
  path: readonly string[];
  overwrite: boolean;
  chunks: Uint8Array[];
  size: number;
}

/** What `open` returns; `readAt` expects the version. */
export interface OpenedFile extends PhoneFileFacts {
  version: number;
}

/** The shared storage of a simulated phone. It is in memory, and discarded with everything else of a session. */
export class PhoneStorage {
  readonly #now: () => number;
  readonly #onChange: () => void;
  readonly #root: FolderNode;
  readonly #writes = new Map<number, Write>();
  #lastId = 0;
  #used = 0;
  #entries = 0;

  constructor(now: () => number, onChange: () => void) {
    this.#now = now;
    this.#onChange = onChange;
    this.#root = this.#newFolder();
    for (const { path, content } of sampleFiles()) {
      if (content) this.#put(path, [content]);
      else this.#makeFolder(path);
    }
  }

  list(path: readonly string[]): PhoneFolderList {
    const folder = this.#find(path);
    if (folder.kind === 'file')
      throw new PhoneFileError('not_a_folder', `${sharedPath(path)} is a file, not a folder`);
    const items = [...folder.children].map(([name, node]): PhoneFileEntry => ({ name, ...factsOf(node) }));
    items.sort(byKindAndName);
    return { items: items.slice(0, MAX_LISTED_FILES), hasMore: items.length > MAX_LISTED_FILES };
  }

  open(path: readonly string[]): OpenedFile {
    const { size, modifiedAt, version } = this.#file(path);
    return { size, modifiedAt, version };
  }

  /** Up to `length` bytes at a position. @throws PhoneFileError when the file was replaced or deleted */
  readAt(path: readonly string[], version: number, position: number, length: number): Uint8Array {
    const file = this.#file(path);
    if (file.version !== version)
      throw new PhoneFileError('not_found', `${sharedPath(path)} changed while it was read`);
    const parts: Uint8Array[] = [];
    let [skip, missing] = [position, length];
    for (const chunk of file.chunks) {
      const part = chunk.subarray(Math.min(skip, chunk.length), skip + missing);
      skip = Math.max(0, skip - chunk.length);
      missing -= part.length;
      parts.push(part);
      if (missing <= 0) break;
    }
    return Buffer.concat(parts);
  }

  /** The whole content of a file. */
  read(path: readonly string[]): Buffer {
    return Buffer.concat(this.#file(path).chunks);
  }

  /** Begins to write a file, and returns the number of the write. */
  beginWrite(
    path: readonly string[],
    { overwrite, size }: { overwrite: boolean; size: number | null },
  ): number {
    this.#assertWritable(path, overwrite);
    if ([...this.#writes.values()].some((write) => sharedPath(write.path) === sharedPath(path)))
      throw new PhoneFileError('busy', `${sharedPath(path)} is being written already`);
    if (this.#writes.size >= MAX_WRITES)
      throw new PhoneFileError('busy', `${MAX_WRITES} files are being written already`);
    if ((size ?? 0) > STORAGE_BYTES - this.#used) throw full();
    const id = ++this.#lastId;
    this.#writes.set(id, { path, overwrite, chunks: [], size: 0 });
    return id;
  }

  append(id: number, bytes: Uint8Array): void {
    const write = this.#write(id);
    if (this.#used + bytes.length > STORAGE_BYTES) {
      this.discard(id);
      throw full();
    }
    appendMerged(write.chunks, bytes);
    write.size += bytes.length;
    this.#used += bytes.length;
  }

  /** Makes the file visible under its name. */
  commit(id: number): PhoneFileFacts {
    const { path, overwrite, chunks } = this.#write(id);
    this.discard(id);
    this.#assertWritable(path, overwrite);
    const { size, modifiedAt } = this.#put(path, chunks);
    this.#onChange();
    return { size, modifiedAt };
  }

  discard(id: number): void {
    this.#used -= this.#writes.get(id)?.size ?? 0;
    this.#writes.delete(id);
  }

  remove(path: readonly string[]): void {
    const node = this.#find(path);
    const name = path.at(-1);
    if (name === undefined) throw new PhoneFileError('not_empty', `${sharedPath([])} cannot be deleted`);
    if (node.kind === 'folder' && node.children.size > 0)
      throw new PhoneFileError(
        'not_empty',
        `${sharedPath(path)} is not empty; delete what it contains first`,
      );
    const parent = this.#find(path.slice(0, -1)) as FolderNode;
    parent.children.delete(name);
    this.#entries -= 1;
    if (node.kind === 'file') this.#used -= node.size;
    this.#onChange();
  }

  #put(path: readonly string[], chunks: readonly Uint8Array[]): FileNode {
    const name = path.at(-1)!;
    const parent = this.#makeFolder(path.slice(0, -1));
    const before = parent.children.get(name);
    if (before?.kind === 'file') this.#used -= before.size;
    else this.#countEntry();
    const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    const file: FileNode = { kind: 'file', chunks, size, modifiedAt: this.#now(), version: ++this.#lastId };
    parent.children.set(name, file);
    this.#used += size;
    return file;
  }

  #makeFolder(path: readonly string[]): FolderNode {
    let folder = this.#root;
    for (const [depth, name] of path.entries()) {
      let next = folder.children.get(name);
      if (!next) {
        this.#countEntry();
        next = this.#newFolder();
        folder.children.set(name, next);
      }
      if (next.kind === 'file') throw notAFolder(path.slice(0, depth + 1));
      folder = next;
    }
    return folder;
  }

  #newFolder(): FolderNode {
    return { kind: 'folder', modifiedAt: this.#now(), children: new Map() };
  }

  #countEntry(): void {
    if (this.#entries >= MAX_ENTRIES)
      throw new PhoneFileError(
        'no_space',
        `the simulated phone has ${MAX_ENTRIES} files already; delete some`,
      );
    this.#entries += 1;
  }

  #assertWritable(path: readonly string[], overwrite: boolean): void {
    let node: Node = this.#root;
    for (const [depth, name] of path.entries()) {
      if (node.kind === 'file') throw notAFolder(path.slice(0, depth));
      const next = node.children.get(name);
      if (!next) return;
      node = next;
    }
    if (node.kind === 'folder')
      throw new PhoneFileError('not_a_file', `${sharedPath(path)} is a folder, not a file`);
    if (!overwrite) throw new PhoneFileError('exists', `${sharedPath(path)} exists already`);
  }

  #find(path: readonly string[]): Node {
    let node: Node = this.#root;
    for (const name of path) {
      const next: Node | undefined = node.kind === 'folder' ? node.children.get(name) : undefined;
      if (!next) throw new PhoneFileError('not_found', `${sharedPath(path)} does not exist`);
      node = next;
    }
    return node;
  }

  #file(path: readonly string[]): FileNode {
    const node = this.#find(path);
    if (node.kind === 'file') return node;
    throw new PhoneFileError('not_a_file', `${sharedPath(path)} is a folder, not a file`);
  }

  #write(id: number): Write {
    const write = this.#writes.get(id);
    if (!write) throw new PhoneFileError('not_found', 'the file is no longer being written');
    return write;
  }
}

/**
 * Appends a part, merged with the small parts before it that are not larger. A client may send a file byte by byte, and
 * each chunk takes hundreds of bytes in addition to its content. A copy at least doubles the chunk of each byte that was
 * copied before, so there are at most 17.
 */
function appendMerged(chunks: Uint8Array[], bytes: Uint8Array): void {
  let first = chunks.length;
  let size = bytes.length;
  while (size < MIN_CHUNK_BYTES && first > 0 && chunks[first - 1]!.length <= size) {
    first -= 1;
    size += chunks[first]!.length;
  }
  const small = chunks.splice(first);
  chunks.push(small.length === 0 ? bytes : Buffer.concat([...small, bytes]));
}

const notAFolder = (path: readonly string[]) =>
  new PhoneFileError('not_a_folder', `${sharedPath(path)} is a file, not a folder`);

const full = () =>
  new PhoneFileError(
    'no_space',
    `the simulated phone has not enough space left; its files can have ${STORAGE_BYTES / 1024 / 1024} MB together`,
  );

const factsOf = (node: Node) => ({
  kind: node.kind,
  size: node.kind === 'file' ? node.size : 0,
  modifiedAt: node.modifiedAt,
});

function byKindAndName(a: PhoneFileEntry, b: PhoneFileEntry): number {
  if (a.kind !== b.kind) return a.kind === 'folder' ? -1 : 1;
  return a.name < b.name ? -1 : 1;
}
