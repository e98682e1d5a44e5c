import { Buffer } from 'node:buffer';

/** Rows `first` to `last`, inclusive. */
export interface RowRange {
  readonly first: number;
  readonly last: number;
}

/**
 * The range of rows in which two images of the same size differ, or null if they are equal. The runtime's memcmp
 * compares them as bytes: most frames of a screen equal the previous one, and this comparison is their only cost.
 */
export function changedRows(before: Int32Array, after: Int32Array, width: number): RowRange | null {
  const beforeBytes = bytesOf(before);
  const afterBytes = bytesOf(after);
  if (beforeBytes.equals(afterBytes)) return null;
  const rowBytes = width * 4;
  const differs = (row: number): boolean => {
    const start = row * rowBytes;
    const end = start + rowBytes;
    return afterBytes.compare(beforeBytes, start, end, start, end) !== 0;
  };
  let first = 0;
  while (!differs(first)) first++;
  let last = after.length / width - 1;
  while (!differs(last)) last--;
  return { first, last };
}

function bytesOf(words: Int32Array): Buffer {
  return Buffer.from(words.buffer, words.byteOffset, words.byteLength);
}

/** Whether `count` words of `after` from `start` equal those of `before` from `start + offset`. */
function wordsEqual(
  before: Int32Array,
  after: Int32Array,
  start: number,
  count: number,
  offset: number,
): boolean {
  const end = start + count;
  for (let i = start; i < end; i++) {
    if (after[i] !== before[i + offset]) return false;
  }
  return true;
}

/**
 * Whether the part of the macroblock that is inside the image is, in `after`, the same as in `before` `dy` rows
 * further down. False if that position is outside the image.
 */
export function macroblockEquals(
  before: Int32Array,
  after: Int32Array,
  width: number,
  height: number,
  mbX: number,
  mbY: number,
  dy: number,
): boolean {
  const top = mbY * 16;
  const bottom = Math.min(top + 16, height);
  if (top + dy < 0 || bottom + dy > height) return false;
  const columns = Math.min(16, width - mbX * 16);
  for (let y = top; y < bottom; y++) {
    if (!wordsEqual(before, after, y * width + mbX * 16, columns, dy * width)) return false;
  }
  return true;
}
