import { APP_MEDIA_TYPES } from '../contract/http/app.ts';
import { deferred } from './deferred.ts';

/** A file to upload: a browser's `File`, a `Blob`, or a stream of bytes. */
export type FileSource = Blob | ReadableStream<Uint8Array<ArrayBuffer>>;

export interface UploadProgress {
  /** Bytes that were passed to the network so far. */
  sent: number;
  /** Size of the file in bytes; null for a stream of unknown length. */
  total: number | null;
}

export interface SendFile {
  method: 'POST' | 'PUT';
  url: string;
  headers: Record<string, string>;
  source: FileSource;
  fetch: typeof fetch;
  onProgress(progress: UploadProgress): void;
  signal: AbortSignal;
}

/**
 * Sends a file as the body of one request. Browsers report upload progress only through `XMLHttpRequest`, and most of
 * them cannot stream a request body over HTTP/1.1; all other environments use `fetch`.
 * @throws the signal's reason when it is aborted, or TypeError when the connection failed
 */
export function sendFile(file: SendFile): Promise<Response> {
  const isBrowser = typeof XMLHttpRequest !== 'undefined';
  return isBrowser && file.source instanceof Blob ? sendByXhr(file, file.source) : sendByFetch(file);
}

function sendByFetch({
  method,
  url,
  headers,
  source,
  fetch: send,
  onProgress,
  signal,
}: SendFile): Promise<Response> {
  const total = source instanceof Blob ? source.size : null;
  let sent = 0;
  const counted = (source instanceof Blob ? source.stream() : source).pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, controller) {
        sent += chunk.byteLength;
        controller.enqueue(chunk);
        onProgress({ sent, total });
      },
    }),
    { signal },
  );
  // The DOM types lack `duplex`, which every implementation requires for a stream (Fetch, "request body streams").
  const init: RequestInit & { duplex: 'half' } = {
    method,
    headers: { ...headers, 'Content-Type': APP_MEDIA_TYPES[0] },
    body: counted,
    duplex: 'half',
    signal,
  };
  return send(url, init);
}

function sendByXhr(
  { method, url, headers, onProgress, signal }: Omit<SendFile, 'source' | 'fetch'>,
  source: Blob,
): Promise<Response> {
  const { promise, resolve, reject } = deferred<Response>();
  const request = new XMLHttpRequest();
  const abort = () => {
    request.abort();
    reject(signal.reason);
  };
  if (signal.aborted) return Promise.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  request.upload.onprogress = ({ loaded }) => onProgress({ sent: loaded, total: source.size });
  request.onload = () => resolve(responseOf(request));
  request.onerror = () => reject(new TypeError('the upload failed'));
  request.onloadend = () => signal.removeEventListener('abort', abort);
  request.open(method, url);
  request.responseType = 'arraybuffer';
  for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
  request.setRequestHeader('Content-Type', APP_MEDIA_TYPES[0]);
  request.send(source);
  return promise;
}

function responseOf(request: XMLHttpRequest): Response {
  const headers = new Headers();
  for (const line of request.getAllResponseHeaders().trim().split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim());
  }
  return new Response(request.response as ArrayBuffer, { status: request.status, headers });
}
