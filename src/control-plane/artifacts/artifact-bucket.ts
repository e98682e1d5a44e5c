import type { Readable } from 'node:stream';
import { type ArtifactFiles, ArtifactMissingError, ArtifactStorageError } from './artifact-files.ts';
import {
  BucketClient,
  type BucketRequest,
  BucketResponseError,
  type BucketSettings,
  type BucketTimes,
} from './bucket-client.ts';
import { elementsOf, escapeXml, textOfElement } from './bucket-xml.ts';
import { type Part, partsOf } from './content-parts.ts';
import { stoppingWhenIdle } from './stopping-when-idle.ts';

const MEBIBYTE = 1024 * 1024;
/**
 * Content up to this size is sent in one request. Each upload needs this much memory. S3 requires at least 5 MiB, and
 * R2 that all parts but the last one have the same size. Larger parts would keep the host waiting longer.
 */
const PART_BYTES = 5 * MEBIBYTE;
/** Maximum number of parts of an object in S3. */
const MAX_PARTS = 10_000;
const DEFAULT_TIMES: BucketTimes = {
  requestMs: 10_000,
  idleMs: 30_000,
  retryMs: 500,
  // The host aborts an upload without progress for 60 s (link/file-channel.ts), so a second attempt must end before
  // that. A part takes 25 s at 1.7 Mbit/s.
  partMs: 25_000,
  // No upload of an artifact takes this long.
  abandonedMs: 24 * 60 * 60_000,
};
/** The start of the process waits for this check. */
const CHECK_MS = 5_000;
/** Bounds on one call of `removeAbandoned`. */
const LIST_PAGES = 20;
const MAX_ABORTS = 1_000;
const ARTIFACT_ID = /^[\w-]{1,100}$/;

/** The content of artifacts as objects of a bucket, named `<prefix><artifact id>`. */
export class ArtifactBucket implements ArtifactFiles {
  private readonly client: BucketClient;
  private readonly prefix: string;

  constructor(settings: BucketSettings, times: Partial<BucketTimes> = {}) {
    this.client = new BucketClient(settings, { ...DEFAULT_TIMES, ...times });
    this.prefix = settings.prefix;
  }

  /** Checks once that the bucket can be reached and listed with these keys. @throws ArtifactStorageError */
  async check(): Promise<void> {
    const query = { 'list-type': '2', 'max-keys': '1', prefix: this.prefix };
    await this.client.send({ method: 'GET', query, timeMs: CHECK_MS }, 1);
  }

  async write(
    id: string,
    content: AsyncIterable<Uint8Array>,
    { size, type }: { size: number; type: string },
  ): Promise<void> {
    const key = this.keyOf(id);
    const headers = { 'content-type': type };
    const parts = partsOf(content, { size, partBytes: Math.max(PART_BYTES, Math.ceil(size / MAX_PARTS)) });
    if (size > PART_BYTES) return this.writeParts({ method: 'POST', key, headers }, parts);
    for await (const part of parts)
      await this.client.send({ method: 'PUT', key, headers, ...part, timeMs: this.client.times.partMs });
  }

  async read(id: string, { start, end }: { start: number; end: number }): Promise<Readable> {
    const closing = new AbortController();
    const headers = { range: `bytes=${start}-${end}` };
    const request = { method: 'GET', key: this.keyOf(id), headers } as const;
    const response = await this.client.open(request, closing.signal).catch((error: unknown) => {
      throw isMissing(error) ? new ArtifactMissingError(id, error) : error;
    });
    if (!response.headers['content-range']?.startsWith(`bytes ${start}-${end}/`)) {
      closing.abort();
      throw new ArtifactStorageError(
        `the bucket ${this.client.url} did not return the range of artifact ${id}`,
      );
    }
    return stoppingWhenIdle(response, {
      idleMs: this.client.times.idleMs,
      close: () => closing.abort(),
      failure: (reason) =>
        new ArtifactStorageError(`the bucket ${this.client.url} stopped sending artifact ${id}`, reason),
    });
  }

  async remove(id: string): Promise<void> {
    await this.client.send({ method: 'DELETE', key: this.keyOf(id) }).catch(unlessMissing);
  }

  async freeBytes(): Promise<null> {
    return null;
  }

  async removeAbandoned(): Promise<void> {
    const before = Date.now() - this.client.times.abandonedMs;
    let aborted = 0;
    // MinIO does not list uploads by a prefix, and removes abandoned ones by itself.
    let query: Record<string, string> | null = { uploads: '', 'max-uploads': '1000' };
    for (let page = 1; query && page <= LIST_PAGES; page += 1) {
      const { text } = await this.client.send({ method: 'GET', query });
      for (const upload of elementsOf(text, 'Upload')) {
        const key = textOfElement(upload, 'Key');
        const isOurs = key.startsWith(this.prefix) && ARTIFACT_ID.test(key.slice(this.prefix.length));
        if (!isOurs || !(Date.parse(textOfElement(upload, 'Initiated')) < before)) continue;
        await this.abort(key, textOfElement(upload, 'UploadId'));
        aborted += 1;
        if (aborted === MAX_ABORTS) return;
      }
      query = nextPage(text);
    }
  }

  private keyOf(id: string): string {
    if (!ARTIFACT_ID.test(id)) throw new Error(`${JSON.stringify(id)} is not the identifier of an artifact`);
    return this.prefix + id;
  }

  /** The object replaces an earlier one when all parts are stored. */
  private async writeParts(
    create: BucketRequest & { key: string },
    parts: AsyncIterable<Part>,
  ): Promise<void> {
    const { key } = create;
    const { text } = await this.client.send({ ...create, query: { uploads: '' } });
    const uploadId = textOfElement(text, 'UploadId');
    if (uploadId === '')
      throw new ArtifactStorageError(`the bucket ${this.client.url} did not begin a multipart upload`);
    try {
      const list: string[] = [];
      const timeMs = this.client.times.partMs;
      for await (const part of parts) {
        const number = list.length + 1;
        const query = { partNumber: String(number), uploadId };
        const { headers } = await this.client.send({ method: 'PUT', key, query, ...part, timeMs });
        const etag = escapeXml(headers.etag ?? '');
        list.push(`<Part><PartNumber>${number}</PartNumber><ETag>${etag}</ETag></Part>`);
      }
      const body = Buffer.from(`<CompleteMultipartUpload>${list.join('')}</CompleteMultipartUpload>`);
      await this.client.send({ method: 'POST', key, query: { uploadId }, body, timeMs });
    } catch (error) {
      // If this fails as well, the upload is removed as an abandoned one.
      await this.abort(key, uploadId).catch(() => {});
      throw error;
    }
  }

  private async abort(key: string, uploadId: string): Promise<void> {
    await this.client.send({ method: 'DELETE', key, query: { uploadId } }).catch(unlessMissing);
  }
}

/** Without the permission to list the bucket, AWS reports a missing object as 403, which is an error of the storage. */
const isMissing = (error: unknown): boolean =>
  error instanceof BucketResponseError && error.status === 404 && error.code !== 'NoSuchBucket';

function unlessMissing(error: unknown): void {
  if (!isMissing(error)) throw error;
}

function nextPage(list: string): Record<string, string> | null {
  if (textOfElement(list, 'IsTruncated') !== 'true') return null;
  return {
    uploads: '',
    'max-uploads': '1000',
    'key-marker': textOfElement(list, 'NextKeyMarker'),
    'upload-id-marker': textOfElement(list, 'NextUploadIdMarker'),
  };
}
