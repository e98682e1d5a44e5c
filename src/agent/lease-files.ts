import type { FileTask } from '../bus/messages.ts';
import { DriverError, PhoneFileError, type PhoneFiles } from '../drivers/driver.ts';
import { FileChannel, FileChannelError } from '../link/file-channel.ts';
import type { Link } from '../link/link.ts';
import type { FileMessage } from '../link/messages.ts';
import type { Log } from '../util/log.ts';

/** Maximum number of operations on the files of one session at a time. They share the phone's USB connection. */
const MAX_OPERATIONS = 4;
/** A phone that needs longer to list a folder, or to delete a file, has hung. */
const SHORT_TASK_MS = 30_000;

interface LeaseFilesOptions {
  log: Log;
  /** Called when no operation is left. */
  onEmpty: () => void;
}

/** The operations on the files of one session's phone, each over its own link. */
export class LeaseFiles {
  private readonly options: LeaseFilesOptions;
  private readonly operations = new Map<FileChannel, Promise<void>>();

  constructor(options: LeaseFilesOptions) {
    this.options = options;
  }

  get count(): number {
    return this.operations.size;
  }

  /** Takes ownership of the link. */
  attach(link: Link, files: PhoneFiles, task: FileTask): void {
    const channel = new FileChannel(link);
    const operation = this.perform(channel, files, task).finally(() => {
      this.operations.delete(channel);
      if (this.operations.size === 0) this.options.onEmpty();
    });
    this.operations.set(channel, operation);
  }

  /** Aborts the operations. Resolves when the phone has removed incomplete files. */
  async close(): Promise<void> {
    const operations = [...this.operations];
    for (const [channel] of operations) channel[Symbol.dispose]();
    await Promise.all(operations.map(([, operation]) => operation));
  }

  /** Never rejects. */
  private async perform(channel: FileChannel, files: PhoneFiles, task: FileTask): Promise<void> {
    const aborted = new AbortController();
    channel.whenFailed((error) => aborted.abort(error));
    const isOver = this.operations.size >= MAX_OPERATIONS;
    try {
      if (isOver)
        throw new PhoneFileError(
          'busy',
          `${MAX_OPERATIONS} operations on the files of this phone are in progress; wait for one to end`,
        );
      await performTask(channel, files, task, aborted.signal);
      // The other end closes the link when it has read the result.
      await channel.closed();
    } catch (error) {
      if (error instanceof FileChannelError || aborted.signal.aborted) return;
      channel.send(this.failureOf(error));
      await channel.closed();
    } finally {
      channel[Symbol.dispose]();
    }
  }

  private failureOf(error: unknown): FileMessage {
    if (error instanceof PhoneFileError)
      return { type: 'failed', reason: error.reason, message: error.message };
    if (error instanceof DriverError) return { type: 'failed', reason: 'failed', message: error.message };
    if ((error as Error).name === 'TimeoutError')
      return { type: 'failed', reason: 'failed', message: 'the phone did not answer in time; try again' };
    this.options.log.warn({ err: error }, 'operation on a file failed in the driver');
    return { type: 'failed', reason: 'failed', message: 'the driver failed; the log of the host says why' };
  }
}

async function performTask(
  channel: FileChannel,
  files: PhoneFiles,
  { operation, path, overwrite = false, size }: FileTask,
  signal: AbortSignal,
): Promise<void> {
  const soon = () => AbortSignal.any([signal, AbortSignal.timeout(SHORT_TASK_MS)]);
  switch (operation) {
    case 'list':
      channel.send({ type: 'listing', ...(await files.list(path, { signal: soon() })) });
      break;
    case 'remove':
      await files.remove(path, { signal: soon() });
      channel.send({ type: 'removed' });
      break;
    case 'read': {
      const { bytes, ...facts } = await files.read(path, { signal });
      channel.send({ type: 'file', ...facts });
      await channel.sendBytes(bytes);
      break;
    }
    case 'write': {
      const ready = () => channel.send({ type: 'ready' });
      const options = { overwrite, size: size ?? null, ready, signal };
      const facts = await files.write(path, channel.receiveBytes(), options);
      channel.send({ type: 'written', ...facts });
      break;
    }
  }
}
