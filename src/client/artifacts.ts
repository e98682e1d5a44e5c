import type { Session } from '../contract/http/session.ts';
import { pause } from './event-stream.ts';
import type { HttpSender } from './http-sender.ts';
import { Backoff } from './reconnect.ts';
import { isTransient } from './retry.ts';
import { ServiceError } from './service-error.ts';

const DEFAULT_TIMEOUT_MS = 600_000;

export interface WaitForRecordingOptions {
  /** Maximum wait in milliseconds; 10 minutes by default. */
  timeoutMs?: number;
  signal?: AbortSignal;
}

export interface DownloadArtifactOptions {
  /** Offset of the first byte, to resume an interrupted download. */
  start?: number;
  signal?: AbortSignal;
}

export interface ArtifactDownload {
  /** Number of bytes of the stream. */
  size: number;
  bytes: ReadableStream<Uint8Array<ArrayBuffer>>;
}

export const artifactsOf = (sessionId: string): string =>
  `/sessions/${encodeURIComponent(sessionId)}/artifacts`;

export const artifactPath = (sessionId: string, artifactId: string): string =>
  `${artifactsOf(sessionId)}/${encodeURIComponent(artifactId)}`;

/** @throws ServiceError; Error when the response is not the requested part */
export async function downloadArtifact(
  http: Pick<HttpSender, 'open'>,
  path: string,
  { start = 0, signal }: DownloadArtifactOptions,
): Promise<ArtifactDownload> {
  const headers: Record<string, string> = start > 0 ? { Range: `bytes=${start}-` } : {};
  const response = await http.open(path, { headers, signal });
  if (start > 0 && response.status !== 206) {
    await response.body?.cancel();
    throw new Error('the service returned the whole artifact instead of its end; download it from the start');
  }
  return { size: Number(response.headers.get('content-length')), bytes: response.body! };
}

/**
 * Polls a session until its recording is complete or has failed.
 * @throws Error when the session is not recorded, or the wait times out; the reason of the signal
 */
export async function waitForRecording(
  read: (signal: AbortSignal) => Promise<Session>,
  { timeoutMs = DEFAULT_TIMEOUT_MS, signal }: WaitForRecordingOptions,
): Promise<Session> {
  const late = AbortSignal.timeout(timeoutMs);
  const either = signal ? AbortSignal.any([signal, late]) : late;
  const backoff = new Backoff();
  let state = 'the service did not respond';
  while (!either.aborted) {
    const session = await read(either).catch((error: unknown) => {
      if (either.aborted || (error instanceof ServiceError && isTransient(error))) return null;
      throw error;
    });
    if (session?.recording === null)
      throw new Error(`session ${session.session_id} is not recorded; borrow the phone with \`record\``);
    const status = session?.recording.status;
    if (status === 'complete' || status === 'failed') return session!;
    if (status === 'recording') state = 'the session has not ended';
    if (status === 'processing') state = 'its upload has not finished';
    await pause(backoff.next(0), either);
  }
  signal?.throwIfAborted();
  throw new Error(`timed out after ${timeoutMs / 1000} s: the recording is not complete, because ${state}`);
}
