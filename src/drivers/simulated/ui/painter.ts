import type { Canvas, Image, SKRSContext2D } from '@napi-rs/canvas';
import { type FontWeight, setFont } from './fonts.ts';
import { intersection, type Point, type Rect } from './geometry.ts';
import { ICONS, type IconName } from './icons.ts';

export interface TextStyle {
  readonly size: number;
  readonly color: string;
  readonly weight?: FontWeight;
  /** The text keeps its size when the user changes the size of texts. */
  readonly isFixed?: boolean;
  readonly align?: 'left' | 'center' | 'right';
  /** In dp. Longer text ends in an ellipsis. */
  readonly maxWidth?: number;
}

/** Number of text widths that are cached. When it is exceeded, the cache is cleared. */
const MAX_MEASURED = 4096;

/** Texts of this size and smaller grow by the whole factor, those of the larger size do not grow. */
const SMALL = 14;
const LARGE = 44;

/** The size of a text. As on Android 14, large texts grow less than small ones. */
export function scaled(size: number, fontScale: number): number {
  const share = Math.min(1, Math.max(0, (LARGE - size) / (LARGE - SMALL)));
  return size * (fontScale <= 1 ? fontScale : 1 + (fontScale - 1) * share);
}

/** Draws in dp on a canvas whose scale has already been set. */
export class Painter {
  readonly ctx: SKRSContext2D;
  /** The area that is being redrawn; null: everything. */
  area: Rect | null = null;
  /** Factor that the user has chosen for the size of texts. */
  fontScale = 1;
  readonly #measured = new Map<string, number>();

  constructor(ctx: SKRSContext2D) {
    this.ctx = ctx;
  }

  /** Whether the rectangle overlaps the area that is being redrawn. */
  reaches(r: Rect): boolean {
    return this.area === null || intersection(this.area, r) !== null;
  }

  fill(r: Rect, color: string, radius = 0): void {
    this.ctx.fillStyle = color;
    if (radius === 0) {
      this.ctx.fillRect(r.x, r.y, r.width, r.height);
      return;
    }
    this.ctx.beginPath();
    this.ctx.roundRect(r.x, r.y, r.width, r.height, Math.min(radius, r.width / 2, r.height / 2));
    this.ctx.fill();
  }

  outline(r: Rect, color: string, radius: number, thickness = 1): void {
    this.ctx.strokeStyle = color;
    this.ctx.lineWidth = thickness;
    this.ctx.beginPath();
    this.ctx.roundRect(r.x, r.y, r.width, r.height, Math.min(radius, r.width / 2, r.height / 2));
    this.ctx.stroke();
  }

  circle(at: Point, radius: number, color: string): void {
    this.ctx.fillStyle = color;
    this.ctx.beginPath();
    this.ctx.arc(at.x, at.y, radius, 0, Math.PI * 2);
    this.ctx.fill();
  }

  line(from: Point, to: Point, color: string, thickness: number): void {
    this.ctx.strokeStyle = color;
    this.ctx.lineWidth = thickness;
    this.ctx.lineCap = 'round';
    this.ctx.beginPath();
    this.ctx.moveTo(from.x, from.y);
    this.ctx.lineTo(to.x, to.y);
    this.ctx.stroke();
  }

  /** `y` is the position of the baseline. */
  text(text: string, x: number, y: number, style: TextStyle): void {
    const shown = style.maxWidth === undefined ? text : this.#fit(text, style, style.maxWidth);
    setFont(this.ctx, shown, this.#sizeOf(style), style.weight ?? 400);
    this.ctx.fillStyle = style.color;
    this.ctx.textAlign = style.align ?? 'left';
    this.ctx.fillText(shown, x, y);
  }

  /** Draws a text centred at `at`. The vertical position is chosen so that capitals look centred. */
  centred(text: string, at: Point, style: TextStyle): void {
    this.text(text, at.x, at.y + this.#sizeOf(style) * 0.36, { ...style, align: 'center' });
  }

  measure(text: string, size: number, weight: FontWeight = 400, isFixed = false): number {
    return this.#widthOf(text, isFixed ? size : scaled(size, this.fontScale), weight);
  }

  #sizeOf({ size, isFixed = false }: TextStyle): number {
    return isFixed ? size : scaled(size, this.fontScale);
  }

  #widthOf(text: string, size: number, weight: FontWeight): number {
    const key = `${size} ${weight} ${text}`;
    const known = this.#measured.get(key);
    if (known !== undefined) return known;
    setFont(this.ctx, text, size, weight);
    const { width } = this.ctx.measureText(text);
    if (this.#measured.size >= MAX_MEASURED) this.#measured.clear();
    this.#measured.set(key, width);
    return width;
  }

  /** Draws an icon of the 24 × 24 grid, centred at `at` and `size` dp wide. */
  icon(name: IconName, at: Point, size: number, color: string): void {
    const { ctx } = this;
    ctx.save();
    ctx.translate(at.x - size / 2, at.y - size / 2);
    ctx.scale(size / 24, size / 24);
    for (const { path, filled } of ICONS[name]) {
      if (filled) {
        ctx.fillStyle = color;
        ctx.fill(path);
      } else {
        ctx.strokeStyle = color;
        ctx.lineWidth = 2;
        ctx.lineCap = 'round';
        ctx.lineJoin = 'round';
        ctx.stroke(path);
      }
    }
    ctx.restore();
  }

  image(image: Canvas | Image, r: Rect): void {
    this.ctx.drawImage(image, r.x, r.y, r.width, r.height);
  }

  clipped(r: Rect, draw: () => void, radius = 0): void {
    this.ctx.save();
    this.ctx.beginPath();
    if (radius === 0) this.ctx.rect(r.x, r.y, r.width, r.height);
    else this.ctx.roundRect(r.x, r.y, r.width, r.height, radius);
    this.ctx.clip();
    draw();
    this.ctx.restore();
  }

  /** Runs `draw` with this opacity (1: fully opaque). */
  faded(alpha: number, draw: () => void): void {
    const before = this.ctx.globalAlpha;
    this.ctx.globalAlpha = before * alpha;
    draw();
    this.ctx.globalAlpha = before;
  }

  #fit(text: string, style: TextStyle, maxWidth: number): string {
    const width = (part: string) => this.#widthOf(part, this.#sizeOf(style), style.weight ?? 400);
    if (width(text) <= maxWidth) return text;
    const characters = [...text];
    let low = 0;
    let high = characters.length;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (width(`${characters.slice(0, middle).join('')}…`) <= maxWidth) low = middle;
      else high = middle - 1;
    }
    return `${characters.slice(0, low).join('').trimEnd()}…`;
  }
}
