/** Table 9-4, ChromaArrayType 1, the Inter column: coded_block_pattern by codeNum. */
// biome-ignore format: sixteen values a line
const INTER_PATTERN_BY_CODE_NUMBER = [
  0, 16, 1, 2, 4, 8, 32, 3, 5, 10, 12, 15, 47, 7, 11, 13,
  14, 6, 9, 31, 35, 37, 42, 44, 33, 34, 36, 40, 39, 43, 45, 46,
  17, 18, 20, 24, 19, 21, 26, 28, 23, 27, 29, 30, 22, 25, 38, 41,
]

/** codeNum by coded_block_pattern (CodedBlockPatternLuma + 16 * CodedBlockPatternChroma) of an inter macroblock. */
export const INTER_CODED_BLOCK_PATTERN = Uint8Array.from(INTER_PATTERN_BY_CODE_NUMBER, (_, pattern) =>
  INTER_PATTERN_BY_CODE_NUMBER.indexOf(pattern),
);
