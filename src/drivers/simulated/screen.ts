import { type Canvas, createCanvas } from '@napi-rs/canvas';
import { intersection, type Rect, type Size, union } from './ui/geometry.ts';
import { Painter } from './ui/painter.ts';

/** Pixels per dp. */
export const SCALE = 1.5;
const BYTES_PER_PIXEL = 4;

/** A phone's canvas, the area of it that is out of date, and its pixels. */
export class Screen {
  readonly width: number;
  readonly height: number;
  readonly painter: Painter;
  readonly #canvas: Canvas;
  readonly #pixels: Uint8Array;
  #damage: Rect | null;
  /** The rows that were drawn since the pixels were last read, `top` inclusive and `bottom` exclusive. */
  #unread: { top: number; bottom: number } | null = null;

  /** The size is in pixels. */
  constructor({ width, height }: Size) {
    this.width = width;
    this.height = height;
    this.#pixels = new Uint8Array(width * height * BYTES_PER_PIXEL);
    this.#canvas = createCanvas(width, height);
    const ctx = this.#canvas.getContext('2d');
    ctx.scale(SCALE, SCALE);
    this.painter = new Painter(ctx);
    this.#damage = this.bounds;
  }

  /** The whole screen, in dp. */
  get bounds(): Rect {
    return { x: 0, y: 0, width: this.width / SCALE, height: this.height / SCALE };
  }

  get damaged(): boolean {
    return this.#damage !== null;
  }

  /** Marks an area in dp, or everything, as out of date. */
  invalidate(area: Rect = this.bounds): void {
    const seen = intersection(area, this.bounds);
    if (seen) this.#damage = this.#damage ? union(this.#damage, seen) : seen;
  }

  /** Redraws only the area that is out of date. */
  paint(draw: (painter: Painter) => void): void {
    if (!this.#damage) return;
    const { x, y, width, height } = this.#damage;
    this.#damage = null;
    const left = Math.floor(x * SCALE);
    const top = Math.floor(y * SCALE);
    const right = Math.min(this.width, Math.ceil((x + width) * SCALE));
    const bottom = Math.min(this.height, Math.ceil((y + height) * SCALE));
    const area = {
      x: left / SCALE,
      y: top / SCALE,
      width: (right - left) / SCALE,
      height: (bottom - top) / SCALE,
    };
    this.painter.area = area;
    this.painter.clipped(area, () => draw(this.painter));
    this.painter.area = null;
    this.#unread = this.#unread
      ? { top: Math.min(top, this.#unread.top), bottom: Math.max(bottom, this.#unread.bottom) }
      : { top, bottom };
  }

  /** RGBA, row by row, as of the last `paint`. The returned array is the same each time. */
  get pixels(): Uint8Array {
    if (!this.#unread) return this.#pixels;
    const { top, bottom } = this.#unread;
    this.#unread = null;
    const { data } = this.painter.ctx.getImageData(0, top, this.width, bottom - top);
    this.#pixels.set(data, top * this.width * BYTES_PER_PIXEL);
    // Frees the copy at the end of this event loop turn instead of at a later garbage collection, so that the next
    // frame's copy reuses its memory. Allocating fresh memory from the system costs more than the copying.
    (data.buffer as ArrayBuffer).transfer(0);
    return this.#pixels;
  }

  /** The screen as of the last `paint`, as PNG. */
  png(): Buffer {
    return this.#canvas.toBuffer('image/png');
  }
}
