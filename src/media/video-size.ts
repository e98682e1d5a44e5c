export interface VideoSize {
  width: number;
  height: number;
}

/**
 * The largest coordinate in a control message, and the largest side in an MP4 file: both have 16 bits. It is far larger
 * than any screen.
 */
const MAX_SIDE = 0xffff;

/** @throws RangeError when the size is not valid for video. */
export function checkedSize({ width, height }: VideoSize): VideoSize {
  if (Math.min(width, height) < 1 || Math.max(width, height) > MAX_SIDE)
    throw new RangeError(`the phone sends video of ${width}x${height}, which is not a valid size`);
  return { width, height };
}
