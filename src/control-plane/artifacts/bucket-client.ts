import { createHash } from 'node:crypto';
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { runInTime, TimeoutError } from '../../util/deadline.ts';
import { ArtifactStorageError } from './artifact-files.ts';

/** A bucket on S3-compatible storage. */
export interface BucketSettings {
  /** Origin of the storage, such as `https://s3.eu-central-1.amazonaws.com`. */
  origin: string;
  bucket: string;
  /** Comes before the identifier of the artifact, with a slash at its end; empty: no prefix. */
  prefix: string;
  /** null: the region in the host name of a known service, or else `us-east-1`. */
  region: string | null;
  accessKey: string;
  secretKey: string;
}

export interface BucketTimes {
  /** Time for one attempt of a request without content, ms. */
  requestMs: number;
  /** Time for one attempt to send a part, and for the storage to assemble the parts, ms. */
  partMs: number;
  /** The longest pause of the storage while it sends content, ms. */
  idleMs: number;
  /** Pause before the second attempt, ms; each further one is twice as long. */
  retryMs: number;
  /** Age at which an incomplete upload is abandoned, ms. */
  abandonedMs: number;
}

export interface BucketRequest {
  method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Name of the object; absent: a request about the bucket. */
  key?: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Uint8Array;
  /** SHA-256 of the body, hexadecimal, which the storage verifies; absent: it is computed. */
  sha256?: string;
  /** Time for one attempt. */
  timeMs?: number;
}

export interface BucketResponse {
  headers: IncomingMessage['headers'];
  text: string;
}

/** The storage responded with an error. */
export class BucketResponseError extends ArtifactStorageError {
  readonly status: number;
  /** The error code of S3, such as `NoSuchKey`. */
  readonly code: string;

  constructor(message: string, status: number, code: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

const ATTEMPTS = 3;
const TEMPORARY = [408, 429, 500, 502, 503, 504];
/** The longest response is a list of 1,000 uploads. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;
const NEVER = new AbortController().signal;

/**
 * Sends signed requests to a bucket, with path-style addresses, which every S3-compatible storage has. A request that
 * fails temporarily is sent up to three times.
 */
export class BucketClient {
  /** For log lines and error messages. It contains no secret. */
  readonly url: string;
  readonly times: BucketTimes;
  private readonly settings: BucketSettings;
  /** Signing keys, which are the same for all requests of a day. */
  private signingKeys = new Map<string, ArrayBuffer>();
  private signingDay = '';

  constructor(settings: BucketSettings, times: BucketTimes) {
    this.settings = settings;
    this.times = times;
    this.url = `${settings.origin}/${settings.bucket}`;
  }

  /** Sends a request and reads its response. @throws ArtifactStorageError */
  send(request: BucketRequest, attempts = ATTEMPTS): Promise<BucketResponse> {
    const ms = request.timeMs ?? this.times.requestMs;
    return this.retried(request, attempts, () =>
      runInTime(ms, NEVER, async (signal) => {
        const response = await this.exchange(request, signal);
        const text = await textOf(response);
        this.throwIfFailed(request, response, text);
        return { headers: response.headers, text };
      }),
    );
  }

  /**
   * Sends a request and returns its response before its content has arrived.
   * @param closing ends the response when it is aborted
   * @throws ArtifactStorageError
   */
  open(request: BucketRequest, closing: AbortSignal): Promise<IncomingMessage> {
    return this.retried(request, ATTEMPTS, () =>
      runInTime(this.times.requestMs, NEVER, async (late) => {
        const response = await this.exchange(request, AbortSignal.any([closing, late]));
        if (!isSuccess(response)) this.throwIfFailed(request, response, await textOf(response));
        return response;
      }),
    );
  }

  private async retried<T>(request: BucketRequest, attempts: number, run: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await run();
      } catch (error) {
        const isTemporary = !(error instanceof BucketResponseError) || TEMPORARY.includes(error.status);
        if (attempt >= attempts || !isTemporary) throw this.storageError(request, error);
      }
      await delay(this.times.retryMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2));
    }
  }

  private storageError({ method }: BucketRequest, error: unknown): ArtifactStorageError {
    if (error instanceof ArtifactStorageError) return error;
    const { cause } = error as Error;
    const { message, code } = (cause instanceof TimeoutError ? cause : error) as NodeJS.ErrnoException;
    // When a host name has several addresses, the error has no message.
    return new ArtifactStorageError(
      `cannot reach the bucket ${this.url} (${method}): ${message || code}`,
      error,
    );
  }

  private throwIfFailed({ method }: BucketRequest, response: IncomingMessage, text: string): void {
    const { statusCode = 0 } = response;
    const code = /<Code>(\w{1,64})<\/Code>/.exec(text)?.[1] ?? '';
    // The storage may begin its response before it has assembled the parts of an upload, so an error may have the
    // status 200, too.
    const hasFailed = !isSuccess(response) || /^\s*(<\?xml[^>]*>)?\s*<Error[\s>]/.test(text);
    if (!hasFailed) return;
    const status = statusCode === 200 ? 500 : statusCode;
    const words = `the bucket ${this.url} responded to ${method} with ${statusCode} ${code}`.trim();
    throw new BucketResponseError(words, status, code);
  }

  private async exchange(request: BucketRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const { method, body } = request;
    const { url, headers } = await this.sign(request);
    signal.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const send = url.protocol === 'https:' ? tlsRequest : plainRequest;
    const sent = send(url, { method, headers, signal });
    sent.once('response', resolve).on('error', reject);
    sent.end(body);
    return promise;
  }

  private async sign({ method, key, query = {}, headers = {}, body, sha256 }: BucketRequest) {
    const { region, accessKey, secretKey } = this.settings;
    const url = new URL(key === undefined ? this.url : `${this.url}/${key}`);
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    const signed = await new AwsV4Signer({
      url: url.href,
      method,
      service: 's3',
      region: region ?? undefined,
      cache: this.keysOfToday(),
      accessKeyId: accessKey,
      secretAccessKey: secretKey,
      headers: { ...headers, 'x-amz-content-sha256': sha256 ?? sha256Of(body ?? '') },
    }).sign();
    const length = method === 'PUT' || method === 'POST' ? { 'content-length': body?.byteLength ?? 0 } : {};
    return { url: signed.url, headers: { ...Object.fromEntries(signed.headers), ...length } };
  }

  private keysOfToday(): Map<string, ArrayBuffer> {
    const today = new Date().toISOString().slice(0, 10);
    if (today !== this.signingDay) {
      this.signingDay = today;
      this.signingKeys = new Map();
    }
    return this.signingKeys;
  }
}

const isSuccess = ({ statusCode = 0 }: IncomingMessage) => statusCode >= 200 && statusCode <= 299;

const sha256Of = (content: Uint8Array | string) => createHash('sha256').update(content).digest('hex');

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.byteLength;
    if (length > MAX_TEXT_BYTES) throw new Error('the response is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
