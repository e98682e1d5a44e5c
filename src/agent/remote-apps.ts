import { randomUUID } from 'node:crypto';
import { addAbortListener } from 'node:events';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Bus, BusError } from '../bus/bus.ts';
import type { BusRequests } from '../bus/messages.ts';
import { FileChannel } from '../link/file-channel.ts';
import type { LinkDialer } from '../link/link.ts';
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
    using channel = new FileChannel(await this.options.links.dial(ingest, hello));
    using _aborting = addAbortListener(signal, () => channel[Symbol.dispose]());
    for (const { name, bytes } of files) {
      await using file = await open(join(folder, name), 'wx', 0o600);
      await writeFile(file, bytes, channel);
    }
    signal.throwIfAborted();
  }
}

/** The files have no end marker: each has the size that the control plane announced, and a chunk has bytes of one file. */
async function writeFile(file: FileHandle, bytes: number, channel: FileChannel): Promise<void> {
  let written = 0;
  while (written < bytes) {
    const chunk = await channel.next();
    if (!(chunk instanceof Uint8Array)) throw new Error(`unexpected message ${chunk.type} between the files`);
    written += chunk.byteLength;
    if (written > bytes) throw new Error('the transfer exceeds the announced size');
    await file.writeFile(chunk);
    channel.send({ type: 'taken', taken: 1 });
  }
}
