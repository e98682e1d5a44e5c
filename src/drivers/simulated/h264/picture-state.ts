import { BitWriter } from './bit-writer.ts';
import { CavlcWriter } from './cavlc.ts';
import { CoefficientCounts } from './coefficient-counts.ts';
import { MotionField } from './motion-field.ts';
import { Picture } from './picture.ts';

/**
 * State shared by the macroblocks of a picture: the bits written so far, and the data that later macroblocks predict
 * from.
 */
export class PictureState {
  readonly out = new BitWriter();
  readonly cavlc = new CavlcWriter(this.out);
  readonly lumaCounts: CoefficientCounts;
  readonly cbCounts: CoefficientCounts;
  readonly crCounts: CoefficientCounts;
  readonly motion: MotionField;
  readonly reconstruction: Picture;
  /** The reconstruction of the previous picture. */
  readonly reference: Picture;

  constructor(widthInMacroblocks: number, heightInMacroblocks: number) {
    this.lumaCounts = new CoefficientCounts(widthInMacroblocks * 4, heightInMacroblocks * 4);
    this.cbCounts = new CoefficientCounts(widthInMacroblocks * 2, heightInMacroblocks * 2);
    this.crCounts = new CoefficientCounts(widthInMacroblocks * 2, heightInMacroblocks * 2);
    this.motion = new MotionField(widthInMacroblocks, heightInMacroblocks);
    this.reconstruction = new Picture(widthInMacroblocks, heightInMacroblocks);
    this.reference = new Picture(widthInMacroblocks, heightInMacroblocks);
  }

  startPicture(idr: boolean): void {
    this.out.reset();
    this.lumaCounts.reset();
    this.cbCounts.reset();
    this.crCounts.reset();
    if (!idr) this.reference.copyFrom(this.reconstruction);
  }
}
