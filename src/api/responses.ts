import type { Readable } from 'node:stream';
import { success } from '../contract/http/envelope.ts';
import type { ByteRange } from './byte-range.ts';

/** A response that contains an image instead of JSON. */
export class ImageResponse {
  readonly type: string;
  readonly bytes: Uint8Array;
  constructor(type: 'image/png' | 'image/webp', bytes: Uint8Array) {
    this.type = type;
    this.bytes = bytes;
  }
}

interface FileParts {
  name: string;
  /** Size of the whole file. */
  size: number;
  /** The content, or the requested part of it. */
  bytes: Readable;
  /** Media type; absent: unknown. */
  type?: string;
  /** Whether browsers may show it. Whatever it contains, nothing in it can run in the origin of the service. */
  isInline?: boolean;
  /** For a file that never changes: an identifier of its content. Clients can then request parts of it. */
  etag?: string;
  /** The part that `bytes` contains, both included; absent: all. */
  part?: ByteRange | null;
}

/** A response that contains a file, which is streamed. */
export class FileResponse {
  readonly parts: FileParts;
  constructor(parts: FileParts) {
    this.parts = parts;
  }
}

/** A response of many lines, each an item as JSON. The items are streamed and never all in memory. */
export class Lines {
  readonly items: AsyncIterable<unknown>;
  constructor(items: AsyncIterable<unknown>) {
    this.items = items;
  }
}

/** A successful response whose body is already encoded, for data that several responses contain. */
export class EncodedJson<T> {
  /** The whole envelope as JSON. */
  readonly body: string;
  constructor(data: T) {
    this.body = JSON.stringify(success(data));
  }
}
