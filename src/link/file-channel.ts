import { withDeadline } from '../util/deadline.ts';
import type { Link, LinkMessage } from './link.ts';
import { encodeLinkMessage, type FileMessage, LinkProtocolError, parseFileMessage } from './messages.ts';

const CHUNK_BYTES = 64 * 1024;
/** Maximum number of chunks sent and not yet acknowledged: 1 MiB in flight, however slow the receiver is. */
const MAX_UNACKNOWLEDGED = 16;
/** Maximum number of text messages that wait to be read. The protocol needs two. */
const MAX_WAITING_TEXTS = 8;
/** A transfer fails when the other end neither sends nor acknowledges anything for this long. */
const STALL_MS = 60_000;

/** The other end closed the link, or does not respond. */
export class FileChannelError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'FileChannelError';
  }
}

/**
 * One end of a link that carries files: a link with the purpose `file` or `artifact`, or the host's end of one with the
 * purpose `app`. Bytes travel in chunks, of which the receiver acknowledges each when it has passed it on, so that neither
 * end buffers more than 16 of them.
 */
export class FileChannel implements Disposable {
  private readonly link: Link;
  private readonly stallMs: number;
  private readonly inbox: (FileMessage | Uint8Array)[] = [];
  private unacknowledged = 0;
  private failure: FileChannelError | null = null;
  private wake: () => void = () => {};
  private onFailure: (error: FileChannelError) => void = () => {};

  constructor(link: Link, { stallMs = STALL_MS }: { stallMs?: number } = {}) {
    this.link = link;
    this.stallMs = stallMs;
    link.onMessage((message) => this.take(message));
    link.onClose(() => this.fail('the link closed before the transfer was complete'));
  }

  /** Sets the only listener. It is called once, when the link has failed or is closed. */
  whenFailed(listener: (error: FileChannelError) => void): void {
    if (this.failure) listener(this.failure);
    else this.onFailure = listener;
  }

  send(message: FileMessage): void {
    this.link.send(encodeLinkMessage(message));
  }

  /** The next message or chunk. @throws FileChannelError */
  async next(): Promise<FileMessage | Uint8Array> {
    await this.until(() => this.inbox.length > 0);
    return this.inbox.shift()!;
  }

  /**
   * Sends the bytes and `end`, as fast as the other end takes them. Stops early when the other end sends a message,
   * which is the reason that it does not need the rest.
   * @throws FileChannelError, or the error of the source
   */
  async sendBytes(source: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const bytes of source) {
      for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
        await this.until(() => this.unacknowledged < MAX_UNACKNOWLEDGED || this.inbox.length > 0);
        if (this.inbox.length > 0) return;
        // Without this limit, a receiver that acknowledges chunks it did not read would make this process buffer the
        // rest of the file.
        if (this.link.bufferedBytes > MAX_UNACKNOWLEDGED * CHUNK_BYTES)
          throw this.fail('the other end acknowledged bytes that it did not receive');
        this.unacknowledged += 1;
        this.link.send(bytes.subarray(at, at + CHUNK_BYTES));
      }
    }
    this.send({ type: 'end' });
  }

  /** The bytes up to `end`. Each chunk is acknowledged when the next one is requested. @throws FileChannelError */
  async *receiveBytes(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const message = await this.next();
      if (!(message instanceof Uint8Array)) {
        if (message.type === 'end') return;
        if (message.type === 'failed') throw this.fail(message.message);
        throw this.fail(`unexpected message ${message.type} between the bytes of a file`);
      }
      yield message;
      this.send({ type: 'taken', taken: 1 });
    }
  }

  /** Resolves when the other end has closed the link, at the latest after the time of a stall. */
  async closed(): Promise<void> {
    await this.until(() => false).catch(() => {});
  }

  [Symbol.dispose](): void {
    this.link.close();
  }

  private async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      if (this.failure) throw this.failure;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.wake = resolve;
      await withDeadline(promise, this.stallMs, 'the other end stopped responding').catch((error: Error) => {
        throw this.fail(error.message);
      });
    }
  }

  private take(message: LinkMessage): void {
    if (this.failure) return;
    try {
      const content = typeof message === 'string' ? parseFileMessage(message) : message;
      if (!(content instanceof Uint8Array) && content.type === 'taken') {
        if (content.taken > this.unacknowledged)
          throw new LinkProtocolError('more chunks were acknowledged than sent');
        this.unacknowledged -= content.taken;
      } else if (this.inbox.length < MAX_UNACKNOWLEDGED + MAX_WAITING_TEXTS) this.inbox.push(content);
      else throw new LinkProtocolError('more chunks were sent than acknowledged');
      this.wake();
    } catch (error) {
      if (!(error instanceof LinkProtocolError)) throw error;
      this.fail(error.message);
    }
  }

  /** The first failure counts. */
  private fail(message: string): FileChannelError {
    if (!this.failure) {
      this.failure = new FileChannelError(message);
      this.link.close();
      this.wake();
      this.onFailure(this.failure);
    }
    return this.failure;
  }
}
