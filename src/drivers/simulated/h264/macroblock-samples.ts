import type { Picture, Plane } from './picture.ts';

/** One macroblock's samples: its source, or its prediction. The stride of a component equals its width. */
export class MacroblockSamples {
  readonly luma = new Uint8Array(16 * 16);
  readonly cb = new Uint8Array(8 * 8);
  readonly cr = new Uint8Array(8 * 8);

  copyTo(picture: Picture, mbX: number, mbY: number): void {
    copySquare(this.luma, 16, picture.luma, mbX, mbY);
    this.copyChromaTo(picture, mbX, mbY);
  }

  copyChromaTo(picture: Picture, mbX: number, mbY: number): void {
    copySquare(this.cb, 8, picture.cb, mbX, mbY);
    copySquare(this.cr, 8, picture.cr, mbX, mbY);
  }
}

function copySquare(from: Uint8Array, size: number, to: Plane, mbX: number, mbY: number): void {
  const { samples, width } = to;
  let target = mbY * size * width + mbX * size;
  for (let source = 0; source < size * size; source += size) {
    for (let x = 0; x < size; x++) samples[target + x] = from[source + x]!;
    target += width;
  }
}

export function sumOfAbsoluteDifferences(a: Uint8Array, b: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += Math.abs(a[i]! - b[i]!);
  return sum;
}
