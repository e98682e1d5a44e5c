/** Rows `first` to `last`, inclusive. */
export interface RowRange {
  readonly first: number;
  readonly last: number;
}

/** The rows between which two images of the same size differ, or null if they are equal. */
export function changedRows(before: Int32Array, after: Int32Array, width: number): RowRange | null {
  const length = after.length;
  let start = 0;
  while (start < length && before[start] === after[start]) start++;
  if (start === length) return null;
  let end = length - 1;
  while (before[end] === after[end]) end--;
  return { first: Math.floor(start / width), last: Math.floor(end / width) };
}

/**
 * Whether the part of the macroblock inside the image, in `after`, is the same as in `before` `dy` rows further down.
 * False if that is outside the image.
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
  const offset = dy * width;
  for (let y = top; y < bottom; y++) {
    const start = y * width + mbX * 16;
    for (let i = start; i < start + columns; i++) {
      if (after[i] !== before[i + offset]) return false;
    }
  }
  return true;
}
