import { constants, type FileHandle, open, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isDiskFull } from '../../util/disk.ts';

/** IOV_MAX of Linux. */
const MAX_BUFFERS = 1024;
const CHUNK_BYTES = 128 * 1024;
/** Number of chunks that are kept for the next copies. */
const MAX_SPARE_CHUNKS = 10;

export interface BatchWriterOptions {
  folder: string;
  /** Maximum number of bytes that are queued or being written. The writer fails above it, because the disk is too slow. */
  maxWaitingBytes: number;
  /** Called once, when the writer fails. It then writes nothing more. */
  onFailure: (reason: string) => void;
}

/** Data of one file that is not written yet. */
interface Queue {
  buffers: Uint8Array[];
  /** The chunks that some of the buffers are part of. */
  chunks: Buffer[];
  /** The last chunk, and the part of it that is not in a buffer yet. */
  chunk: Buffer | null;
  start: number;
  end: number;
}

/** Appends to the files of one folder in batches, so that the event loop spends little time on them. */
export class BatchWriter {
  /** Bytes accepted so far. */
  bytes = 0;
  private readonly options: BatchWriterOptions;
  private readonly handles = new Map<string, FileHandle>();
  private batch: Map<string, Queue> = new Map();
  private readonly spare: Buffer[] = [];
  private whole: { name: string; bytes: Uint8Array }[] = [];
  private ended: string[] = [];
  private waiting = 0;
  private batchBytes = 0;
  private hasFailed = false;
  private writing: Promise<void> | null = null;

  constructor(options: BatchWriterOptions) {
    this.options = options;
  }

  /** Bytes that the queue can still accept. */
  get freeBytes(): number {
    return this.options.maxWaitingBytes - this.waiting;
  }

  /** Appends to a file. The caller must not modify the bytes afterwards. */
  append(name: string, bytes: Uint8Array): void {
    if (!this.accept(bytes.length)) return;
    const queue = this.queueOf(name);
    endBuffer(queue);
    queue.buffers.push(bytes);
  }

  /** Appends a copy of these bytes to a file. */
  copy(name: string, source: Buffer, from: number, to: number): void {
    if (!this.accept(to - from)) return;
    const queue = this.queueOf(name);
    for (let at = from; at < to; ) {
      if (!queue.chunk || queue.end === CHUNK_BYTES) this.beginChunk(queue);
      const copied = source.copy(queue.chunk!, queue.end, at, to);
      queue.end += copied;
      at += copied;
    }
  }

  /** Closes a file when its queued data is written. Nothing may be appended to it any more. */
  end(name: string): void {
    this.ended.push(name);
  }

  /** Writes a whole file, which gets its name when it is complete. */
  create(name: string, bytes: Uint8Array): void {
    if (!this.accept(bytes.length)) return;
    this.whole.push({ name, bytes });
  }

  /** Begins to write the queued data, unless an earlier batch is still being written. */
  flush(): void {
    this.writing ??= this.writeBatch().then(() => {
      this.writing = null;
    });
  }

  /** Writes the queued data, and closes the files. Data that is appended meanwhile is not written. Never rejects. */
  async close(): Promise<void> {
    while (this.writing) await this.writing;
    this.flush();
    await this.writing;
    this.hasFailed = true;
    for (const name of [...this.handles.keys()]) await this.closeFile(name).catch(() => {});
  }

  /** Stops writing. @param reason a clause such as "the disk of the host is full" */
  fail(reason: string): void {
    if (this.hasFailed) return;
    this.hasFailed = true;
    this.batch.clear();
    this.whole = [];
    this.options.onFailure(reason);
  }

  private accept(length: number): boolean {
    if (this.hasFailed) return false;
    if (length > this.freeBytes) {
      this.fail('the disk of the host is slower than the video');
      return false;
    }
    this.bytes += length;
    this.waiting += length;
    this.batchBytes += length;
    return true;
  }

  private queueOf(name: string): Queue {
    let queue = this.batch.get(name);
    if (!queue) {
      queue = { buffers: [], chunks: [], chunk: null, start: 0, end: 0 };
      this.batch.set(name, queue);
    }
    return queue;
  }

  private beginChunk(queue: Queue): void {
    endBuffer(queue);
    queue.chunk = this.spare.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES);
    queue.chunks.push(queue.chunk);
    queue.start = 0;
    queue.end = 0;
  }

  private async writeBatch(): Promise<void> {
    const { batch, whole, ended, batchBytes } = this;
    this.batch = new Map();
    this.whole = [];
    this.ended = [];
    this.batchBytes = 0;
    try {
      for (const [name, queue] of batch) await this.write(name, queue);
      for (const { name, bytes } of whole) await this.writeWhole(name, bytes);
      for (const name of ended) await this.closeFile(name);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      this.fail(
        isDiskFull(error)
          ? 'the disk of the host is full'
          : `the host could not write the recording (${code ?? 'error'})`,
      );
    }
    this.waiting -= batchBytes;
  }

  private async write(name: string, queue: Queue): Promise<void> {
    endBuffer(queue);
    await writeAll(await this.handleOf(name), queue.buffers);
    for (const chunk of queue.chunks) if (this.spare.length < MAX_SPARE_CHUNKS) this.spare.push(chunk);
  }

  private async handleOf(name: string): Promise<FileHandle> {
    const known = this.handles.get(name);
    if (known) return known;
    const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
    const flags = O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY;
    const handle = await open(join(this.options.folder, name), flags, 0o600);
    this.handles.set(name, handle);
    return handle;
  }

  private async closeFile(name: string): Promise<void> {
    const handle = this.handles.get(name);
    this.handles.delete(name);
    await handle?.close();
  }

  private async writeWhole(name: string, bytes: Uint8Array): Promise<void> {
    const path = join(this.options.folder, name);
    await writeFile(`${path}.part`, bytes, { mode: 0o600 });
    await rename(`${path}.part`, path);
  }
}

/** Adds what was copied to the last chunk to the buffers. */
function endBuffer(queue: Queue): void {
  if (queue.chunk && queue.end > queue.start)
    queue.buffers.push(queue.chunk.subarray(queue.start, queue.end));
  queue.start = queue.end;
}

async function writeAll(handle: FileHandle, buffers: Uint8Array[]): Promise<void> {
  for (let at = 0; at < buffers.length; at += MAX_BUFFERS) {
    let rest = buffers.slice(at, at + MAX_BUFFERS);
    while (rest.length > 0) {
      const { bytesWritten } = await handle.writev(rest);
      rest = after(rest, bytesWritten);
    }
  }
}

/** Returns the remaining buffers after this many bytes have been written. */
function after(buffers: Uint8Array[], written: number): Uint8Array[] {
  let done = written;
  for (const [at, buffer] of buffers.entries()) {
    if (done < buffer.length) return [buffer.subarray(done), ...buffers.slice(at + 1)];
    done -= buffer.length;
  }
  return [];
}
