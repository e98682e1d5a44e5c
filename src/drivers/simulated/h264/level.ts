/** A row of Table A-1: the level, and its limits on frame size and motion vectors. */
export interface Level {
  readonly idc: number;
  readonly maxMacroblocksPerSecond: number;
  readonly maxFrameMacroblocks: number;
  /** The vertical motion vector range is [-maxVerticalMotion, maxVerticalMotion), in luma samples. */
  readonly maxVerticalMotion: number;
}

const TABLE_A_1: readonly Level[] = (
  [
    [10, 1485, 99, 64],
    [11, 3000, 396, 128],
    [12, 6000, 396, 128],
    [13, 11880, 396, 128],
    [20, 11880, 396, 128],
    [21, 19800, 792, 256],
    [22, 20250, 1620, 256],
    [30, 40500, 1620, 256],
    [31, 108000, 3600, 512],
    [32, 216000, 5120, 512],
    [40, 245760, 8192, 512],
    [42, 522240, 8704, 512],
    [50, 589824, 22080, 512],
    [51, 983040, 36864, 512],
    [52, 2073600, 36864, 512],
  ] as const
).map(([idc, maxMacroblocksPerSecond, maxFrameMacroblocks, maxVerticalMotion]) => ({
  idc,
  maxMacroblocksPerSecond,
  maxFrameMacroblocks,
  maxVerticalMotion,
}));

/** The stream contains no timing information. The level is chosen for at most this frame rate. */
const FRAMES_PER_SECOND = 30;

/** The lowest level that allows frames of this many macroblocks, or undefined if none does (clause A.3.1). */
export function levelFor(widthInMacroblocks: number, heightInMacroblocks: number): Level | undefined {
  const macroblocks = widthInMacroblocks * heightInMacroblocks;
  const longerSide = Math.max(widthInMacroblocks, heightInMacroblocks);
  return TABLE_A_1.find(
    (level) =>
      macroblocks <= level.maxFrameMacroblocks &&
      macroblocks * FRAMES_PER_SECOND <= level.maxMacroblocksPerSecond &&
      longerSide <= Math.sqrt(8 * level.maxFrameMacroblocks),
  );
}
