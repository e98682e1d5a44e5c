import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Bus, BusError } from '../bus/bus.ts';
import type { BusRequests } from '../bus/messages.ts';
import type { Link, LinkDialer } from '../link/link.ts';
import { encodeLinkMessage } from '../link/messages.ts';
import { readAppPackage } from './app-package.ts';
import { type AppSource, AppSourceError, type OpenApp, type OpenAppOptions } from './app-source.ts';

const ASK_TIMEOUT_MS = 10_000;

type Answer = BusRequests['control-plane.app']['response'];

/**
 * Provides apps to an agent on another machine. The control plane describes the app; its files are fetched over a
 * link and kept during the install.
 */
export class RemoteApps implements AppSource {
  private readonly options: { hostId: string; bus: Bus; links: LinkDialer; folder: string };

  private constructor(options: RemoteApps['options']) {
    this.options = options;
  }

  /** Opens the source. `folder` must contain nothing else: files from an earlier run of this host are deleted. */
  static async open(options: RemoteApps['options']): Promise<RemoteApps> {
    await rm(options.folder, { recursive: true, force: true });
    await mkdir(options.folder, { recursive: true, mode: 0o700 });
    return new RemoteApps(options);
  }

  async open(appId: string, { lease, signal }: OpenAppOptions): Promise<OpenApp> {
    const { hostId, bus, folder } = this.options;
    const answer = await bus
      .request('control-plane.app', hostId, { ...lease, appId }, { timeoutMs: ASK_TIMEOUT_MS })
      .catch((error: unknown) => {
        const why =
          error instanceof BusError && error.kind === 'failed'
            ? error.message
            : 'the control plane did not answer about the app; try again';
        throw new AppSourceError(why, error);
      });
    await using opening = new AsyncDisposableStack();
    const own = join(folder, randomUUID());
    opening.defer(() => rm(own, { recursive: true, force: true }));
    await mkdir(join(own, appId), { recursive: true, mode: 0o700 });
    await this.fetch(answer, join(own, appId), lease, signal).catch((error: unknown) => {
      throw new AppSourceError(
        'the files of the app could not be copied to the host of the phone; try again',
        error,
      );
    });
    const app = await readAppPackage(appId, answer, join(own, appId));
    const kept = opening.move();
    return { app, [Symbol.asyncDispose]: () => kept.disposeAsync() };
  }

  private async fetch(
    { ingest, ticket, files }: Answer,
    folder: string,
    lease: OpenAppOptions['lease'],
    signal: AbortSignal,
  ): Promise<void> {
    const hello = { ...lease, purpose: 'app' as const, ticket };
    const link = await this.options.links.dial(ingest, hello);
    const abort = () => link.close();
    signal.addEventListener('abort', abort, { once: true });
    try {
      const chunks = new Chunks(link);
      for (const { name, bytes } of files) {
        await using file = await open(join(folder, name), 'wx', 0o600);
        await writeFile(file, bytes, chunks);
      }
    } finally {
      signal.removeEventListener('abort', abort);
      link.close();
    }
    signal.throwIfAborted();
  }
}

async function writeFile(file: FileHandle, bytes: number, chunks: Chunks): Promise<void> {
  let written = 0;
  while (written < bytes) {
    const chunk = await chunks.next();
    written += chunk.byteLength;
    if (written > bytes) throw new Error('the transfer exceeds the announced size');
    await file.writeFile(chunk);
    chunks.taken();
  }
}

/**
 * Receives the binary messages of a link in order. The number of unacknowledged messages that the sender may send is
 * bounded.
 */
class Chunks {
  private readonly link: Link;
  private readonly waiting: Uint8Array[] = [];
  private wanted: PromiseWithResolvers<Uint8Array> | null = null;

  constructor(link: Link) {
    this.link = link;
    link.onMessage((message) => {
      if (typeof message === 'string') return link.close();
      if (this.wanted) this.wanted.resolve(message);
      else this.waiting.push(message);
      this.wanted = null;
    });
    link.onClose(() => this.wanted?.reject(new Error('the link closed before the transfer was complete')));
  }

  async next(): Promise<Uint8Array> {
    const chunk = this.waiting.shift();
    if (chunk) return chunk;
    if (this.link.closed) throw new Error('the link closed before the transfer was complete');
    this.wanted = Promise.withResolvers();
    return this.wanted.promise;
  }

  taken(): void {
    this.link.send(encodeLinkMessage({ type: 'taken', taken: 1 }));
  }
}
