import { open as openFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { type Entry, open as openZip, type ZipFile } from 'yauzl';

/** The largest APKs have some 50,000 entries. */
const MAX_ENTRIES = 200_000;

/** The file is no archive, or one that is not to be unpacked; the message says why. */
export class ArchiveError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ArchiveError';
  }
}

/** A zip archive on disk. What is unpacked of it is bounded by its true size, whatever the archive says. */
export class Archive implements AsyncDisposable {
  private readonly zip: ZipFile;
  private readonly entries: Map<string, Entry>;

  private constructor(zip: ZipFile, entries: Map<string, Entry>) {
    this.zip = zip;
    this.entries = entries;
  }

  /** @throws ArchiveError */
  static async open(file: string): Promise<Archive> {
    const zip = await new Promise<ZipFile>((resolve, reject) =>
      openZip(file, { lazyEntries: true, autoClose: false }, (error, opened) =>
        error ? reject(translate(error)) : resolve(opened),
      ),
    );
    try {
      return new Archive(zip, await readEntries(zip));
    } catch (error) {
      zip.close();
      throw translate(error);
    }
  }

  get names(): string[] {
    return [...this.entries.keys()];
  }

  has(name: string): boolean {
    return this.entries.has(name);
  }

  /** @throws ArchiveError when there is none of that name, it is broken, or larger than that. */
  async read(name: string, maxBytes: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of this.content(name, maxBytes)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  /** Writes one entry to a new file; answers its size. @throws ArchiveError as `read` does. */
  async extract(name: string, file: string, maxBytes: number): Promise<number> {
    await using handle = await openFile(file, 'wx', 0o600);
    let written = 0;
    for await (const chunk of this.content(name, maxBytes)) {
      await handle.writeFile(chunk);
      written += chunk.length;
    }
    await handle.sync();
    return written;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.zip.close();
  }

  private async *content(name: string, maxBytes: number): AsyncGenerator<Buffer> {
    const entry = this.entries.get(name);
    if (!entry) throw new ArchiveError(`it has no ${name}`);
    let total = 0;
    try {
      const stream = await new Promise<Readable>((resolve, reject) =>
        this.zip.openReadStream(entry, (error, opened) => (error ? reject(error) : resolve(opened))),
      );
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        total += chunk.length;
        if (total > maxBytes) throw new ArchiveError(`its ${name} is larger than ${maxBytes} bytes`);
        yield chunk;
      }
    } catch (error) {
      throw translate(error);
    }
  }
}

async function readEntries(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > MAX_ENTRIES) throw new ArchiveError(`it has more than ${MAX_ENTRIES} entries`);
  const entries = new Map<string, Entry>();
  await new Promise<void>((resolve, reject) => {
    zip.on('entry', (entry: Entry) => {
      if (!entries.has(entry.fileName)) entries.set(entry.fileName, entry);
      zip.readEntry();
    });
    zip.on('end', resolve);
    zip.on('error', reject);
    zip.readEntry();
  });
  return entries;
}

/** What the disk says stays as it is; everything else is about the archive. */
function translate(error: unknown): unknown {
  if (error instanceof ArchiveError || !(error instanceof Error) || 'syscall' in error) return error;
  return new ArchiveError(`it is no intact zip archive (${error.message})`);
}
