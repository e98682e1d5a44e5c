import { addAbortListener } from 'node:events';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bus } from '../../bus/bus.ts';
import type { BusRequests } from '../../bus/messages.ts';
import { FileChannel } from '../../link/file-channel.ts';
import type { LinkDialer } from '../../link/link.ts';
import type { Log } from '../../util/log.ts';
import { type PreparedArtifact, prepareArtifacts } from './prepare-artifacts.ts';
import { leaseOfFolder, type RecordedLease, readMeta, removeFolder } from './recording-folder.ts';

const REQUEST_TIMEOUT_MS = 10_000;
const MAX_CONCURRENT = 2;
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;
/**
 * A recording that is older than this and could not be uploaded is deleted, but only if this process has retried for
 * `MIN_ATTEMPTS_MS`, because the host may have been switched off, or its clock may have jumped.
 */
const MAX_AGE_MS = 7 * 86_400_000;
const MIN_ATTEMPTS_MS = 60 * 60_000;
const MAX_DETAIL_LENGTH = 500;
/** Other uploads may use the space in which a part of a video would fit. */
const MAX_SHORTENINGS = 3;
const SHORTENED =
  'the end of the video was not stored: the account has no more space for artifacts (max_artifact_bytes)';

type ArtifactResponse = BusRequests['control-plane.artifact']['response'];

export interface RecordingUploaderOptions {
  hostId: string;
  /** Contains the folders of the recordings. */
  folder: string;
  bus: Bus;
  links: LinkDialer;
  log: Log;
  /** Called when the folder of a recording was deleted. */
  onRemoved: (name: string) => void;
  retryMs?: number | undefined;
}

/** Uploads the recordings of leases that have ended, one artifact after the other, and then deletes their folders. */
export class RecordingUploader implements AsyncDisposable {
  private readonly options: RecordingUploaderOptions;
  private readonly known = new Set<string>();
  private readonly queue: string[] = [];
  private readonly running = new Set<Promise<void>>();
  private readonly retries = new Map<
    string,
    { timer: NodeJS.Timeout | null; failures: number; since: number }
  >();
  private readonly closing = new AbortController();

  constructor(options: RecordingUploaderOptions) {
    this.options = options;
  }

  has(name: string): boolean {
    return this.known.has(name);
  }

  /** `name`: the folder of the recording. Nothing may write to it any more. */
  add(name: string): void {
    if (this.known.has(name) || this.closing.signal.aborted) return;
    this.known.add(name);
    this.enqueue(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.closing.abort();
    for (const { timer } of this.retries.values()) clearTimeout(timer ?? undefined);
    await Promise.all(this.running);
  }

  private enqueue(name: string): void {
    this.queue.push(name);
    this.startNext();
  }

  private startNext(): void {
    while (this.running.size < MAX_CONCURRENT && !this.closing.signal.aborted) {
      const name = this.queue.shift();
      if (name === undefined) return;
      const job = this.finish(name).finally(() => {
        this.running.delete(job);
        this.startNext();
      });
      this.running.add(job);
    }
  }

  /** Never rejects. */
  private async finish(name: string): Promise<void> {
    try {
      await this.upload(name);
      await this.remove(name);
    } catch (error) {
      if (!this.closing.signal.aborted) await this.retryLater(name, error);
    }
  }

  private async retryLater(name: string, error: unknown): Promise<void> {
    const { log, retryMs = RETRY_MS } = this.options;
    const { failures: earlier, since } = this.retries.get(name) ?? { failures: 0, since: performance.now() };
    const createdAt = await this.createdAt(name);
    const isOld = createdAt !== null && Date.now() - createdAt > MAX_AGE_MS;
    if (createdAt === null || (isOld && performance.now() - since > MIN_ATTEMPTS_MS)) {
      const reason = createdAt === null ? 'its folder does not exist' : 'it could not be uploaded for 7 days';
      log.warn({ recording: name, reason, err: error }, 'recording discarded');
      await this.remove(name).catch((failure) =>
        log.warn({ err: failure }, 'recording could not be deleted'),
      );
      return;
    }
    const failures = earlier + 1;
    // Logged once, because it may be repeated for days.
    if (failures === 1)
      log.warn({ recording: name, err: error }, 'recording could not be uploaded; retrying');
    const wait = Math.min(MAX_RETRY_MS, retryMs * 2 ** Math.min(failures - 1, 20));
    const timer = this.closing.signal.aborted ? null : setTimeout(() => this.enqueue(name), wait);
    this.retries.set(name, { timer, failures, since });
  }

  /** Milliseconds since 1970; null: the folder does not exist. */
  private async createdAt(name: string): Promise<number | null> {
    const folder = join(this.options.folder, name);
    try {
      const meta = await readMeta(folder);
      return meta?.createdAt ?? (await stat(folder)).mtimeMs;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT' ? null : Date.now();
    }
  }

  private async remove(name: string): Promise<void> {
    await removeFolder(join(this.options.folder, name));
    this.retries.delete(name);
    this.known.delete(name);
    this.options.onRemoved(name);
  }

  private async upload(name: string): Promise<void> {
    const { bus, hostId, folder, log } = this.options;
    const lease = leaseOfFolder(name)!;
    const signal = this.closing.signal;
    const { artifacts, detail } = await prepareArtifacts(join(folder, name), signal);
    let refused: string | null = null;
    for (const artifact of artifacts) {
      signal.throwIfAborted();
      refused = (await this.uploadArtifact(lease, artifact)) ?? refused;
    }
    signal.throwIfAborted();
    if (refused !== null) log.warn({ recording: name, refused }, 'artifact of a recording was rejected');
    const reasons = [detail, refused].filter((reason) => reason !== null).join('; ');
    await bus.request(
      'control-plane.recorded',
      hostId,
      { ...lease, detail: reasons.slice(0, MAX_DETAIL_LENGTH) || null },
      { timeoutMs: REQUEST_TIMEOUT_MS },
    );
  }

  /**
   * Uploads an artifact, or the part of a video for which the account has space. Returns why something was not stored,
   * or null. @throws Error when the upload failed
   */
  private async uploadArtifact(lease: RecordedLease, artifact: PreparedArtifact): Promise<string | null> {
    let part = artifact;
    for (let shortenings = 0; ; shortenings += 1) {
      const { refused, room, ...response } = await this.request(lease, part);
      if (refused === undefined) {
        const { isStored, storedBytes = part.facts.size } = response;
        if (!isStored) await this.send(lease, part, response);
        return storedBytes < artifact.facts.size ? SHORTENED : null;
      }
      const canBeShorter = room !== undefined && shortenings < MAX_SHORTENINGS;
      const shorter = canBeShorter ? await artifact.shorten?.(room) : null;
      if (!shorter) return `${artifact.facts.name} was not stored: ${refused}`;
      part = shorter;
    }
  }

  private request(lease: RecordedLease, { facts }: PreparedArtifact): Promise<ArtifactResponse> {
    const { bus, hostId } = this.options;
    const timeout = { timeoutMs: REQUEST_TIMEOUT_MS };
    return bus.request('control-plane.artifact', hostId, { ...lease, artifact: facts }, timeout);
  }

  /** @throws Error when the upload failed */
  private async send(
    lease: RecordedLease,
    artifact: PreparedArtifact,
    { ingest, ticket }: ArtifactResponse,
  ): Promise<void> {
    const { links } = this.options;
    const { facts } = artifact;
    if (ingest === undefined || ticket === undefined)
      throw new Error('the control plane returned no address');
    const hello = { ...lease, purpose: 'artifact' as const, ticket };
    using channel = new FileChannel(await links.dial(ingest, hello));
    using _aborting = addAbortListener(this.closing.signal, () => channel[Symbol.dispose]());
    await channel.sendBytes(contentOf(artifact));
    const answer = await channel.next();
    if (answer instanceof Uint8Array || answer.type !== 'written') {
      const why =
        !(answer instanceof Uint8Array) && answer.type === 'failed' ? answer.message : 'unexpected answer';
      throw new Error(`the control plane could not store ${facts.name}: ${why}`);
    }
  }
}

async function* contentOf({ facts, head, path, bytes, tail }: PreparedArtifact): AsyncGenerator<Uint8Array> {
  if ((await stat(path)).size < bytes) throw new Error(`${facts.name} has changed`);
  if (head) yield head;
  if (bytes > 0) yield* createReadStream(path, { highWaterMark: 256 * 1024, end: bytes - 1 });
  if (tail) yield tail;
}
