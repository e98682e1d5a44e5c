/** Synthetic screens for tests and benchmarks. Nothing here depends on a platform, so a browser can run it too. */

type Colour = readonly [red: number, green: number, blue: number];

const PAPER: Colour = [246, 247, 249];
const INK: Colour = [33, 37, 41];
const ACCENT: Colour = [25, 113, 194];
const LINE_HEIGHT = 16;
const GLYPH_WIDTH = 8;
const STATUS_BAR_HEIGHT = 16;

/** Calls `colourAt` for every pixel. */
function paint(width: number, height: number, colourAt: (x: number, y: number) => Colour): Uint8Array {
  const rgba = new Uint8Array(width * height * 4);
  let at = 0;
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [red, green, blue] = colourAt(x, y);
      rgba[at++] = red;
      rgba[at++] = green;
      rgba[at++] = blue;
      rgba[at++] = 255;
    }
  }
  return rgba;
}

/** A well mixed 32-bit value for a pair of integers (the finaliser of MurmurHash3). */
function mix(a: number, b: number): number {
  let hash = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca77);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** Ink coverage, 0 to 1, of a pixel of an endless page: seven-segment glyphs with soft edges. */
function inkAt(x: number, y: number, seed: number): number {
  const row = y % LINE_HEIGHT;
  const column = x % GLYPH_WIDTH;
  const segments = mix(Math.floor(x / GLYPH_WIDTH) + seed * 7919, Math.floor(y / LINE_HEIGHT));
  const isSpace = (segments & 0x700) === 0;
  if (isSpace || row < 2 || row > 12 || column > 6) return 0;
  const horizontal = row === 2 || row === 7 || row === 12;
  if (horizontal && column > 0 && column < 6 && segments & (1 << Math.floor(row / 5))) return 1;
  const half = row < 7 ? 0 : 2;
  if (segments & (8 << half) && column <= 1) return column === 1 ? 1 : 0.4;
  if (segments & (16 << half) && column >= 5) return column === 5 ? 1 : 0.4;
  return 0;
}

function blend(under: Colour, over: Colour, coverage: number): Colour {
  const channel = (i: 0 | 1 | 2) => Math.round(under[i] + (over[i] - under[i]) * coverage);
  return [channel(0), channel(1), channel(2)];
}

export function flatFrame(width: number, height: number, colour: Colour = PAPER): Uint8Array {
  return paint(width, height, () => colour);
}

/** A page of text under a fixed bar, scrolled by `scroll` pixels, with every fifth line in colour. */
export function textFrame(width: number, height: number, { scroll = 0, seed = 0 } = {}): Uint8Array {
  return paint(width, height, (x, y) => {
    if (y < STATUS_BAR_HEIGHT) return blend(INK, PAPER, inkAt(x, y, 99));
    const pageY = y + scroll;
    const ink = Math.floor(pageY / LINE_HEIGHT) % 5 === 0 ? ACCENT : INK;
    return blend(PAPER, ink, inkAt(x, pageY, seed));
  });
}

export function gradientFrame(width: number, height: number, phase = 0): Uint8Array {
  return paint(width, height, (x, y) => [
    (40 + phase + (x * 180) / width) & 255,
    Math.round(60 + (y * 150) / height),
    Math.round(220 - ((x + y) * 160) / (width + height)),
  ]);
}

export function noiseFrame(width: number, height: number, seed = 0): Uint8Array {
  return paint(width, height, (x, y) => {
    const hash = mix(y * width + x, seed);
    return [hash & 255, (hash >> 8) & 255, (hash >> 16) & 255];
  });
}

/** A checkerboard of black and white pixels, which produces the largest possible residuals. */
export function checkerFrame(width: number, height: number, phase = 0): Uint8Array {
  return paint(width, height, (x, y) => ((x + y + phase) & 1 ? [255, 255, 255] : [0, 0, 0]));
}

/** A coloured rectangle over text, `step` pixels from the left and the top. */
export function rectangleFrame(width: number, height: number, step: number): Uint8Array {
  const rgba = textFrame(width, height);
  for (let y = step; y < Math.min(step + 40, height); y++) {
    for (let x = step; x < Math.min(step + 60, width); x++) rgba.set([...ACCENT, 255], (y * width + x) * 4);
  }
  return rgba;
}

export interface ScreenSequence {
  readonly name: string;
  readonly frames: readonly Uint8Array[];
  /** Indices of the frames for which a keyframe is requested. */
  readonly keyframes: readonly number[];
}

/** Typical screen changes as short sequences, without two equal consecutive frames. */
export function screenSequences(width: number, height: number): ScreenSequence[] {
  const scrolled = (...distances: number[]) =>
    distances.map((scroll) => textFrame(width, height, { scroll }));
  const text = textFrame(width, height);
  const gradient = gradientFrame(width, height);
  return [
    { name: 'flat', frames: [flatFrame(width, height), flatFrame(width, height, ACCENT)], keyframes: [] },
    { name: 'text', frames: [text, textFrame(width, height, { seed: 1 })], keyframes: [] },
    {
      name: 'gradient',
      frames: [0, 3, 9].map((phase) => gradientFrame(width, height, phase)),
      keyframes: [],
    },
    { name: 'noise', frames: [0, 1, 2].map((seed) => noiseFrame(width, height, seed)), keyframes: [] },
    { name: 'checker', frames: [0, 1].map((phase) => checkerFrame(width, height, phase)), keyframes: [] },
    { name: 'scroll by even distances', frames: scrolled(0, 2, 12, 76, 60, 58), keyframes: [] },
    { name: 'scroll by odd distances', frames: scrolled(0, 1, 4, 81, 50, 49), keyframes: [] },
    {
      name: 'moving rectangle',
      frames: [0, 4, 9, 30].map((step) => rectangleFrame(width, height, step)),
      keyframes: [],
    },
    { name: 'scene cuts', frames: [text, gradient, text, noiseFrame(width, height)], keyframes: [] },
    {
      name: 'keyframes in the middle',
      frames: [...scrolled(0, 2, 4, 5, 6, 9), gradient],
      keyframes: [2, 3, 5],
    },
  ];
}
