/** Samples of one colour component, in whole macroblocks. */
export interface Plane {
  readonly samples: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** A 4:2:0 picture in whole macroblocks. */
export class Picture {
  readonly luma: Plane;
  readonly cb: Plane;
  readonly cr: Plane;

  constructor(widthInMacroblocks: number, heightInMacroblocks: number) {
    this.luma = plane(widthInMacroblocks * 16, heightInMacroblocks * 16);
    this.cb = plane(widthInMacroblocks * 8, heightInMacroblocks * 8);
    this.cr = plane(widthInMacroblocks * 8, heightInMacroblocks * 8);
  }

  copyFrom(other: Picture): void {
    this.luma.samples.set(other.luma.samples);
    this.cb.samples.set(other.cb.samples);
    this.cr.samples.set(other.cr.samples);
  }

  /** The top left `width` x `height` samples as planar I420, which is a decoder's output. */
  cropped(width: number, height: number): Uint8Array {
    const output = new Uint8Array((width * height * 3) / 2);
    let length = 0;
    for (const [component, columns, rows] of [
      [this.luma, width, height],
      [this.cb, width / 2, height / 2],
      [this.cr, width / 2, height / 2],
    ] as const) {
      for (let y = 0; y < rows; y++) {
        const row = y * component.width;
        output.set(component.samples.subarray(row, row + columns), length);
        length += columns;
      }
    }
    return output;
  }
}

function plane(width: number, height: number): Plane {
  return { samples: new Uint8Array(width * height), width, height };
}
