import { type HttpSender, type HttpSenderOptions, notReached } from './http-sender.ts';
import type { Request } from './request.ts';
import { type FileSource, sendFile, type UploadProgress } from './send-file.ts';
import { ServiceError } from './service-error.ts';

/**
 * An upload has no total time limit, but is aborted after this long without progress. After the last byte the service
 * needs time to read the file.
 */
const UPLOAD_STALL_MS = 60_000;

export interface UploadOptions {
  onProgress?: (progress: UploadProgress) => void;
  signal?: AbortSignal;
}

interface Target {
  method: 'POST' | 'PUT';
  path: string;
  headers?: Request['headers'];
}

/**
 * Uploads a file, and returns the data of the response.
 * @throws ServiceError, or the signal's reason
 */
export async function upload<T>(
  http: HttpSender,
  { baseUrl, fetch: send = globalThis.fetch }: Pick<HttpSenderOptions, 'baseUrl' | 'fetch'>,
  { method, path, headers }: Target,
  source: FileSource,
  options: UploadOptions,
): Promise<T> {
  const stall = new AbortController();
  const arm = () => setTimeout(() => stall.abort(), UPLOAD_STALL_MS);
  let timer = arm();
  const onProgress = (progress: UploadProgress) => {
    clearTimeout(timer);
    timer = arm();
    options.onProgress?.(progress);
  };
  try {
    const response = await sendFile({
      method,
      url: `${baseUrl}${path}`,
      headers: { ...http.authorization, ...headers },
      source,
      fetch: send,
      onProgress,
      signal: options.signal ? AbortSignal.any([options.signal, stall.signal]) : stall.signal,
    });
    return await http.dataOf<T>(response);
  } catch (error) {
    if (options.signal?.aborted || error instanceof ServiceError) throw error;
    throw notReached(baseUrl, stall.signal.aborted ? UPLOAD_STALL_MS : null, error);
  } finally {
    clearTimeout(timer);
  }
}
