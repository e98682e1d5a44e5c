import type { IncomingHttpHeaders } from 'node:http';
import { ApiError } from '../contract/http/errors.ts';

/** Positions of the first and the last byte, both included. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface RangeHeaders {
  range: string | null;
  ifRange: string | null;
}

export const rangeHeaders = (headers: IncomingHttpHeaders): RangeHeaders => ({
  range: headers.range ?? null,
  ifRange: headers['if-range']?.toString() ?? null,
});

/** A single range: `bytes=0-99`, `bytes=100-` or the suffix `bytes=-100`. */
const SINGLE = /^bytes=\s*(\d*)-(\d*)\s*$/i;

/**
 * The part that a request wants; null: all. As RFC 9110 section 14.2 permits, a header that is not valid or has several
 * ranges is ignored, and so is one for another version of the file (`If-Range`).
 * @throws ApiError 41600 when the range is outside the file
 */
export function partOf({ range, ifRange }: RangeHeaders, size: number, etag: string): ByteRange | null {
  if (range === null || (ifRange !== null && ifRange !== etag)) return null;
  const [, first = '', last = ''] = SINGLE.exec(range) ?? [];
  if (first === '' && last === '') return null;
  if (first === '') {
    const length = Math.min(Number(last), size);
    if (length === 0) throw outside(size, 'selects no byte');
    return { start: size - length, end: size - 1 };
  }
  const start = Number(first);
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1);
  if (last !== '' && Number(last) < start) return null;
  if (start >= size) throw outside(size, 'begins after the end');
  return { start, end };
}

const outside = (size: number, why: string) =>
  new ApiError(
    'rangeNotSatisfiable',
    `header.range ${why} of the file, which has ${size} bytes`,
    { size },
    { 'content-range': `bytes */${size}` },
  );
