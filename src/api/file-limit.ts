import { ApiError } from '../contract/http/errors.ts';

const MIB = 1024 * 1024;
/** Maximum size of the multipart form around a file. A longer body contains a file that is too large. */
const FORM_BYTES = 64 * 1024;

/** The largest file that a request may contain. */
export interface FileLimit {
  maxBytes: number;
  /** For the error message. */
  what: 'an app' | 'a file';
  setting: 'PHONEBOOTH_MAX_APP_SIZE' | 'PHONEBOOTH_MAX_FILE_SIZE';
}

/**
 * Checks the length of a body before it is read; null: unknown.
 * @throws ApiError 41300
 */
export function checkAnnouncedBytes(announcedBytes: number | null, limit: FileLimit): void {
  if ((announcedBytes ?? 0) > limit.maxBytes + FORM_BYTES) throw tooLarge(limit);
}

/** Yields the bytes of a file. @throws ApiError 41300 as soon as they exceed the limit */
export async function* withinLimit(
  bytes: AsyncIterable<Uint8Array>,
  limit: FileLimit,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > limit.maxBytes) throw tooLarge(limit);
    yield chunk;
  }
}

const tooLarge = ({ maxBytes, what, setting }: FileLimit) =>
  new ApiError(
    'bodyTooLarge',
    `body is too large; the limit for ${what} is ${Math.floor(maxBytes / MIB)} MB (${setting})`,
  );
