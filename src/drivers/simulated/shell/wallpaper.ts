import { type Canvas, createCanvas } from '@napi-rs/canvas';
import type { Rect } from '../ui/geometry.ts';
import type { Painter } from '../ui/painter.ts';

/** Pixels per dp. */
const SCALE = 1.5;

/**
 * Soft hills in the phone's hue. They are painted once for each shape of the screen, because gradients of this size
 * are the most expensive part of a frame.
 */
export class Wallpaper {
  readonly #hue: number;
  #painted: { canvas: Canvas; width: number; height: number } | null = null;

  constructor(hue: number) {
    this.#hue = hue;
  }

  draw(painter: Painter, screen: Rect): void {
    const { width, height } = screen;
    if (this.#painted?.width !== width || this.#painted.height !== height) {
      const canvas = paint(this.#hue, Math.round(width * SCALE), Math.round(height * SCALE));
      this.#painted = { canvas, width, height };
    }
    painter.image(this.#painted.canvas, screen);
  }
}

function paint(hue: number, width: number, height: number): Canvas {
  const canvas = createCanvas(width, height);
  const ctx = canvas.getContext('2d');
  const sky = ctx.createLinearGradient(0, 0, width * 0.4, height);
  sky.addColorStop(0, `hsl(${hue}, 58%, 30%)`);
  sky.addColorStop(0.5, `hsl(${(hue + 22) % 360}, 62%, 50%)`);
  sky.addColorStop(1, `hsl(${(hue + 48) % 360}, 78%, 70%)`);
  ctx.fillStyle = sky;
  ctx.fillRect(0, 0, width, height);

  const span = Math.min(width, height);
  const sun = { x: width * 0.72, y: height * 0.43, radius: span * 0.2 };
  ctx.fillStyle = `hsla(${(hue + 60) % 360}, 95%, 86%, 0.85)`;
  ctx.beginPath();
  ctx.arc(sun.x, sun.y, sun.radius, 0, Math.PI * 2);
  ctx.fill();

  for (let ridge = 0; ridge < 4; ridge++) {
    const top = height * (0.5 + ridge * 0.125);
    ctx.fillStyle = `hsl(${(hue + 26 - ridge * 9 + 360) % 360}, ${54 - ridge * 3}%, ${50 - ridge * 10}%)`;
    ctx.beginPath();
    ctx.moveTo(0, height);
    for (let x = 0; x <= width; x += 4) {
      const wave =
        Math.sin((x / span) * 3.1 + ridge * 1.9) * 0.6 + Math.sin((x / span) * 7.3 + ridge * 4.1) * 0.16;
      ctx.lineTo(x, top + wave * span * 0.13);
    }
    ctx.lineTo(width, height);
    ctx.fill();
  }
  return canvas;
}
