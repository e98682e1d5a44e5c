import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bus } from '../../bus/bus.ts';
import type { LeaseOrder } from '../../bus/messages.ts';
import type { LinkDialer } from '../../link/link.ts';
import { freeBytesOf } from '../../util/disk.ts';
import type { Log } from '../../util/log.ts';
import { LeaseRecorder } from './lease-recorder.ts';
import { folderNameOf, leaseOfFolder, listRecordings, readContent } from './recording-folder.ts';
import { RecordingUploader } from './recording-uploader.ts';
import type { SharedSpace } from './storage-limits.ts';

/**
 * How long a lease that another process of this host recorded may be served again before its recording is finished.
 * The control plane orders it in its first answer; its phone may need some time to be connected.
 */
const RESUME_MS = 30_000;

export interface RecordingsOptions {
  hostId: string;
  /** Contains only recordings. */
  folder: string;
  /** Maximum size of the recordings that are not uploaded yet, in bytes. */
  maxBytes: number;
  /** Disk space that recordings must leave free, in bytes. */
  reserveBytes: number;
  bus: Bus;
  links: LinkDialer;
  log: Log;
  resumeMs?: number;
  retryMs?: number;
}

/** The recordings of one host, from the first frame until the control plane has stored them. */
export class Recordings implements AsyncDisposable, SharedSpace {
  private readonly options: RecordingsOptions;
  private readonly uploader: RecordingUploader;
  /** Folders of the leases that are being recorded. */
  private readonly active = new Set<string>();
  /** Folders of leases that may be served again. */
  private readonly waiting = new Map<string, NodeJS.Timeout | null>();
  /** Size of all recordings on this host, bytes. */
  private bytes = 0;
  /** A disk that does not respond would occupy all threads of the process if each recording read its free space. */
  private freeBytes: Promise<number> | null = null;
  private isClosed = false;

  private constructor(options: RecordingsOptions) {
    this.options = options;
    const { hostId, folder, bus, links, log, retryMs } = options;
    this.uploader = new RecordingUploader({
      hostId,
      folder,
      bus,
      links,
      log,
      retryMs,
      onRemoved: () => void this.measure(),
    });
  }

  static async open(options: RecordingsOptions): Promise<Recordings> {
    await mkdir(options.folder, { recursive: true, mode: 0o700 });
    const recordings = new Recordings(options);
    for (const name of await listRecordings(options.folder)) recordings.waiting.set(name, null);
    await recordings.measure();
    return recordings;
  }

  /** Called when the control plane has answered the first report, and has thus ordered the leases of this host. */
  start(): void {
    for (const [name, timer] of this.waiting) if (timer === null) this.waitFor(name);
  }

  /** Returns the recorder of the lease, or null if the lease is not recorded. */
  begin({ sessionId, epoch, recording }: LeaseOrder): LeaseRecorder | null {
    const name = folderNameOf({ sessionId, epoch });
    if (!recording || this.isClosed || !leaseOfFolder(name)) return null;
    if (this.uploader.has(name) || this.active.has(name)) {
      this.options.log.warn({ sessionId }, 'recording is not continued, because its upload has begun');
      return null;
    }
    clearTimeout(this.waiting.get(name) ?? undefined);
    this.waiting.delete(name);
    this.active.add(name);
    return new LeaseRecorder({
      sessionId,
      folder: join(this.options.folder, name),
      space: this,
      log: this.options.log,
      text: recording.text,
      maxBytes: recording.maxBytes,
      onClosed: (isFinal) => {
        this.active.delete(name);
        if (isFinal) this.uploader.add(name);
        else this.waitFor(name);
      },
    });
  }

  add(bytes: number): void {
    this.bytes += bytes;
  }

  async shortage(ownBytes: number): Promise<string | null> {
    const { folder, maxBytes, reserveBytes } = this.options;
    // A recording stops when it is larger than the space that is left, so that one account leaves space to others. This
    // is the dynamic threshold of switches with a shared buffer (Choudhury and Hahne, 1998).
    if (ownBytes > maxBytes - this.bytes)
      return 'the recording is larger than the space that is left for recordings on the host (PHONEBOOTH_MAX_RECORDING_STORAGE)';
    this.freeBytes ??= freeBytesOf(folder).finally(() => {
      this.freeBytes = null;
    });
    if (ownBytes > (await this.freeBytes) - reserveBytes)
      return 'the recording is larger than the space that is left on the disk of the host (PHONEBOOTH_DISK_RESERVE)';
    return null;
  }

  /** The next process uploads the recordings that are not uploaded yet. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.isClosed = true;
    for (const timer of this.waiting.values()) clearTimeout(timer ?? undefined);
    this.waiting.clear();
    await this.uploader[Symbol.asyncDispose]();
  }

  private waitFor(name: string): void {
    if (this.isClosed) return;
    const finish = () => {
      this.waiting.delete(name);
      this.uploader.add(name);
    };
    this.waiting.set(name, setTimeout(finish, this.options.resumeMs ?? RESUME_MS));
  }

  /** Never rejects. Recordings that grow meanwhile are counted with a delay. */
  private async measure(): Promise<void> {
    const { folder, log } = this.options;
    try {
      let bytes = 0;
      for (const name of await listRecordings(folder)) bytes += await sizeOf(join(folder, name));
      this.bytes = bytes;
    } catch (error) {
      log.debug({ err: error }, 'the size of the recordings could not be read');
    }
  }
}

/** Size of a recording, which may be deleted meanwhile, in bytes. */
async function sizeOf(folder: string): Promise<number> {
  try {
    return (await readContent(folder)).bytes;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}
