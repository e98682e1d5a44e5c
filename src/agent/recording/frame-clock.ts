/** A phone's clock that differs more from that of the host has jumped. */
const MAX_DIFFERENCE_MS = 10_000;
/** The shortest time for which a frame is shown. */
const MIN_FRAME_MS = 0.1;

/** Converts the timestamps of a phone to the time of the recording. */
export class FrameClock {
  private last = Number.NEGATIVE_INFINITY;
  private base: { pts: number; ms: number } | null = null;

  /**
   * Returns the time of a frame in milliseconds since the start of the recording. The times increase even if the
   * timestamps of the phone do not. `pts`: in microseconds. `now`: when the frame arrived, in milliseconds.
   */
  timeOf(pts: number, now: number): number {
    this.base ??= { pts, ms: now };
    let ms = this.base.ms + (pts - this.base.pts) / 1000;
    if (Math.abs(ms - now) > MAX_DIFFERENCE_MS) {
      this.base = { pts, ms: now };
      ms = now;
    }
    this.last = Math.max(ms, this.last + MIN_FRAME_MS);
    return this.last;
  }
}
