import { useEffect, useRef } from 'react';
import { observeDevicePixels } from '../session/use-fit.ts';
import type { Playback } from './playback.ts';
import { type ShownTouch, type Stroke, touchesAt } from './touch-strokes.ts';

/** Radius of the ring around a finger, as a share of the shorter side of the screen. */
const RADIUS = 0.045;

/** Draws the touches of the current time over the video, which it covers exactly. */
export function TouchOverlay({ playback, strokes }: { playback: Playback; strokes: readonly Stroke[] }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    let wasEmpty = true;
    const draw = () => {
      const touches = touchesAt(strokes, playback.position());
      if (wasEmpty && touches.length === 0) return;
      wasEmpty = touches.length === 0;
      drawTouches(element, touches);
    };
    const stop = observeDevicePixels(element, ({ width, height }) => {
      element.width = width;
      element.height = height;
      wasEmpty = false;
      draw();
    });
    const unsubscribe = playback.subscribe(draw);
    return () => {
      unsubscribe();
      stop();
    };
  }, [playback, strokes]);
  return <canvas ref={canvas} className="pointer-events-none absolute inset-0 size-full" />;
}

function drawTouches(canvas: HTMLCanvasElement, touches: readonly ShownTouch[]): void {
  const context = canvas.getContext('2d');
  if (!context) return;
  const { width, height } = canvas;
  const radius = RADIUS * Math.min(width, height);
  context.clearRect(0, 0, width, height);
  context.lineCap = 'round';
  context.lineJoin = 'round';
  for (const { x, y, strength, trail } of touches) {
    context.globalAlpha = strength;
    const path = new Path2D();
    for (const point of trail) path.lineTo(point.x * width, point.y * height);
    path.lineTo(x * width, y * height);
    const ring = new Path2D();
    ring.arc(x * width, y * height, radius, 0, 2 * Math.PI);
    context.fillStyle = 'rgb(36 87 197 / 0.3)';
    context.fill(ring);
    // A light line on a dark one is visible on every screen.
    for (const [line, colour] of [
      [0.34, 'rgb(0 0 0 / 0.55)'],
      [0.17, '#ffffff'],
    ] as const) {
      context.strokeStyle = colour;
      context.lineWidth = line * radius;
      context.stroke(path);
      context.stroke(ring);
    }
  }
  context.globalAlpha = 1;
}
