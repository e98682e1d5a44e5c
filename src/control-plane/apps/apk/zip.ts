import { createReadStream } from 'node:fs';
import { open as openFile } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import { type Entry, open as openZip, type ZipFile } from 'yauzl';

/** Maximum number of entries of an upload. The largest APKs have about 50,000. */
export const MAX_ENTRIES = 200_000;
/** Maximum total length of entry names, in characters. The names of 50,000 entries have about 4 million. */
const MAX_NAMES_LENGTH = 32 * 1024 * 1024;

const STORED = 0;
const DEFLATED = 8;
const LOCAL_HEADER = 0x04034b50;

/** The file is not a valid zip archive, or it must not be unpacked. The message states the reason. */
export class ArchiveError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ArchiveError';
  }
}

/** An entry exceeds its size limit. */
export class EntryTooLargeError extends ArchiveError {}

/**
 * The fields that are kept of an entry. yauzl's own object also holds its extra fields and comment, which would take
 * more memory.
 */
type Place = Pick<
  Entry,
  'compressionMethod' | 'compressedSize' | 'uncompressedSize' | 'relativeOffsetOfLocalHeader'
>;

/** A zip archive on disk. Limits apply to the actual unpacked size, not to the size that the archive declares. */
export class Archive {
  /** Number of entries in the central directory, which may have several with the same name. */
  readonly entryCount: number;
  private readonly file: string;
  private readonly entries: Map<string, Place>;

  private constructor(file: string, entries: Map<string, Place>, entryCount: number) {
    this.file = file;
    this.entries = entries;
    this.entryCount = entryCount;
  }

  /** Reads the central directory and closes the file. @throws ArchiveError */
  static async open(file: string, maxEntries: number): Promise<Archive> {
    const zip = await new Promise<ZipFile>((resolve, reject) =>
      openZip(file, { lazyEntries: true, autoClose: false }, (error, opened) =>
        error ? reject(translate(error)) : resolve(opened),
      ),
    );
    try {
      if (zip.entryCount > maxEntries) throw new ArchiveError(`it has more than ${MAX_ENTRIES} entries`);
      return new Archive(file, await readEntries(zip), zip.entryCount);
    } catch (error) {
      throw translate(error);
    } finally {
      zip.close();
    }
  }

  get names(): string[] {
    return [...this.entries.keys()];
  }

  has(name: string): boolean {
    return this.entries.has(name);
  }

  /** @throws ArchiveError when no entry has that name, or the entry is corrupt or larger than `maxBytes`. */
  async read(name: string, maxBytes: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of this.content(name, maxBytes)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  /** Writes one entry to a new file and returns its size in bytes. @throws ArchiveError as `read` does. */
  async extract(
    name: string,
    file: string,
    maxBytes: number,
    beforeWriting: (bytes: number) => Promise<void>,
  ): Promise<number> {
    await using handle = await openFile(file, 'wx', 0o600);
    let written = 0;
    for await (const chunk of this.content(name, maxBytes)) {
      await beforeWriting(chunk.length);
      await handle.writeFile(chunk);
      written += chunk.length;
    }
    await handle.sync();
    return written;
  }

  /**
   * Yields the bytes of one entry. It does not use yauzl's own streams: their `destroy` never emits `close`, so a
   * reader that stops early, because an entry is too large or corrupt, would wait forever.
   */
  private async *content(name: string, maxBytes: number): AsyncGenerator<Buffer> {
    const entry = this.entries.get(name);
    if (!entry) throw new ArchiveError(`it does not contain ${name}`);
    const limit = Math.min(maxBytes, entry.uncompressedSize);
    let total = 0;
    try {
      for await (const chunk of await this.openEntry(entry)) {
        total += chunk.length;
        if (total > limit) break;
        yield chunk;
      }
    } catch (error) {
      throw translate(error);
    }
    if (total > maxBytes) throw new EntryTooLargeError(`its ${name} is larger than ${maxBytes} bytes`);
    if (total !== entry.uncompressedSize)
      throw new ArchiveError(`the size of its ${name} differs from the declared size`);
  }

  private async openEntry(entry: Place): Promise<AsyncIterable<Buffer>> {
    const { compressionMethod, compressedSize } = entry;
    if (compressionMethod !== STORED && compressionMethod !== DEFLATED) {
      throw new ArchiveError(
        `it uses a compression method that Android does not support (${compressionMethod})`,
      );
    }
    const start = await this.dataStart(entry);
    if (compressedSize === 0) return Readable.from([]);
    const raw = createReadStream(this.file, { start, end: start + compressedSize - 1 });
    // An error destroys the last stream of the pipeline, and the reader of that stream receives it.
    return compressionMethod === STORED ? raw : pipeline(raw, createInflateRaw(), () => {});
  }

  /**
   * APPNOTE.TXT 4.3.7: a header of 30 bytes. Its last two fields are the lengths of the name and of the extra field.
   */
  private async dataStart({ relativeOffsetOfLocalHeader: at }: Place): Promise<number> {
    await using handle = await openFile(this.file, 'r');
    const header = Buffer.alloc(30);
    const { bytesRead } = await handle.read(header, 0, 30, at);
    if (bytesRead < 30 || header.readUInt32LE(0) !== LOCAL_HEADER) {
      throw new ArchiveError(
        'it is not a valid zip archive (an entry is not at the offset that the directory declares)',
      );
    }
    return at + 30 + header.readUInt16LE(26) + header.readUInt16LE(28);
  }
}

async function readEntries(zip: ZipFile): Promise<Map<string, Place>> {
  const entries = new Map<string, Place>();
  let length = 0;
  await new Promise<void>((resolve, reject) => {
    zip.on('entry', (entry: Entry) => {
      const { fileName, compressionMethod, compressedSize, uncompressedSize, relativeOffsetOfLocalHeader } =
        entry;
      length += fileName.length;
      if (length > MAX_NAMES_LENGTH) return reject(new ArchiveError('the names of its entries are too long'));
      if (!entries.has(fileName)) {
        entries.set(fileName, {
          compressionMethod,
          compressedSize,
          uncompressedSize,
          relativeOffsetOfLocalHeader,
        });
      }
      zip.readEntry();
    });
    zip.on('end', resolve);
    zip.on('error', reject);
    zip.readEntry();
  });
  return entries;
}

/** File system errors stay as they are. All other errors are caused by the archive. */
function translate(error: unknown): unknown {
  if (error instanceof ArchiveError || !(error instanceof Error) || 'syscall' in error) return error;
  return new ArchiveError(`it is not a valid zip archive (${error.message})`);
}
