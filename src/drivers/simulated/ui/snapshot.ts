import { type Canvas, createCanvas } from '@napi-rs/canvas';
import type { Size } from './geometry.ts';
import { Painter } from './painter.ts';
import { drawView, type View } from './view.ts';

/** Renders a view to a canvas; `scale` is in pixels per dp. */
export function snapshot(
  view: View,
  size: Size,
  { scale, fontScale }: { scale: number; fontScale: number },
): Canvas {
  const canvas = createCanvas(Math.round(size.width * scale), Math.round(size.height * scale));
  const ctx = canvas.getContext('2d');
  ctx.scale(scale, scale);
  const painter = new Painter(ctx);
  painter.fontScale = fontScale;
  drawView(painter, view, null);
  return canvas;
}
