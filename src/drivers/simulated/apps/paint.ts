import { type Canvas, createCanvas } from '@napi-rs/canvas';
import { inset, type Point, type Rect, rect, union } from '../ui/geometry.ts';
import type { Painter } from '../ui/painter.ts';
import type { Touch, View } from '../ui/view.ts';
import type { App, AppHost, Area } from './app.ts';
import { iconButton } from './widgets.ts';

/** Additional pointers paint in the colours that follow the chosen one, so that they can be told apart. */
const COLORS = ['#1f1f24', '#d93025', '#f29900', '#188038', '#1a73e8', '#9334e6'];
const WIDTH = 7;
const LAYER_SCALE = 1.5;
const TOOLBAR = 72;

interface Stroke {
  readonly color: string;
  last: Point;
}

/** A drawing canvas that accepts any number of pointers. */
export class PaintApp implements App {
  readonly #host: AppHost;
  readonly #strokes = new Map<string, Stroke>();
  #color = 0;
  #layer: { canvas: Canvas; bounds: Rect } | null = null;
  #blank = true;

  constructor(host: AppHost) {
    this.#host = host;
  }

  onHide(): void {
    this.#strokes.clear();
  }

  view({ screen, safe }: Area): View {
    const { theme } = this.#host;
    const paper = rect(safe.x, safe.y + 52, safe.width, safe.height - 52 - TOOLBAR);
    const bar = rect(
      safe.x,
      paper.y + paper.height,
      safe.width,
      screen.y + screen.height - paper.y - paper.height,
    );
    return {
      role: 'screen',
      id: 'paint',
      text: 'Paint',
      bounds: screen,
      draw: (painter) => {
        painter.fill(screen, theme.surfaceContainer);
        painter.text('Paint', safe.x + 24, safe.y + 35, { size: 22, color: theme.onSurface });
      },
      children: [
        {
          role: 'canvas',
          id: 'paper',
          text: this.#blank ? 'blank' : 'painted',
          bounds: paper,
          onTouch: (touch) => this.#touch(touch, paper),
          draw: (painter) => this.#drawPaper(painter, paper),
        },
        iconButton({
          id: 'clear',
          text: 'Clear',
          icon: 'delete',
          bounds: rect(safe.x + safe.width - 56, safe.y + 4, 44, 44),
          color: theme.onSurface,
          pressedColor: theme.surfaceHigh,
          onTap: () => this.#clear(),
        }),
        ...this.#swatches(bar),
      ],
    };
  }

  #swatches(bar: Rect): View[] {
    const cell = Math.min(bar.width, 420) / COLORS.length;
    const left = bar.x + (bar.width - cell * COLORS.length) / 2;
    return COLORS.map((color, index) => {
      const bounds = rect(left + index * cell, bar.y + 6, cell, TOOLBAR - 12);
      const middle = { x: bounds.x + cell / 2, y: bounds.y + bounds.height / 2 };
      const chosen = index === this.#color;
      return {
        role: 'radio',
        id: `color-${index}`,
        text: `${color}${chosen ? ', chosen' : ''}`,
        bounds,
        onTap: () => {
          this.#color = index;
          this.#host.invalidate();
        },
        draw: (painter) => {
          if (chosen) painter.circle(middle, 22, this.#host.theme.outlineVariant);
          painter.circle(middle, 17, color);
        },
      };
    });
  }

  #drawPaper(painter: Painter, paper: Rect): void {
    painter.fill(paper, '#ffffff');
    painter.image(this.#layerFor(paper), paper);
    if (!this.#blank) return;
    const middle = { x: paper.x + paper.width / 2, y: paper.y + paper.height / 2 };
    painter.centred('Draw with one finger, or with several', middle, {
      size: 15,
      color: this.#host.theme.outline,
    });
  }

  #touch({ action, pointer, at, pressure }: Touch, paper: Rect): void {
    if (action === 'down') {
      const color = COLORS[(this.#color + this.#strokes.size) % COLORS.length] ?? '#000000';
      this.#strokes.set(pointer, { color, last: at });
    }
    const stroke = this.#strokes.get(pointer);
    if (!stroke) return;
    if (action === 'down' || action === 'move') this.#line(stroke, at, pressure, paper);
    else this.#strokes.delete(pointer);
  }

  #line(stroke: Stroke, to: Point, pressure: number, paper: Rect): void {
    const ctx = this.#layerFor(paper).getContext('2d');
    const width = WIDTH * (0.5 + pressure / 2);
    ctx.strokeStyle = stroke.color;
    ctx.lineWidth = width;
    ctx.lineCap = 'round';
    ctx.beginPath();
    ctx.moveTo(stroke.last.x - paper.x, stroke.last.y - paper.y);
    ctx.lineTo(to.x - paper.x, to.y - paper.y);
    ctx.stroke();
    const area = union(rect(stroke.last.x, stroke.last.y, 0.1, 0.1), rect(to.x, to.y, 0.1, 0.1));
    stroke.last = to;
    const first = this.#blank;
    this.#blank = false;
    this.#host.invalidate(first ? undefined : inset(area, -width));
  }

  #clear(): void {
    this.#layer = null;
    this.#blank = true;
    this.#host.invalidate();
  }

  /** The layer with the drawing. It is carried over when the paper changes its shape. */
  #layerFor(paper: Rect): Canvas {
    const old = this.#layer;
    if (old && old.bounds.width === paper.width && old.bounds.height === paper.height) return old.canvas;
    const canvas = createCanvas(
      Math.round(paper.width * LAYER_SCALE),
      Math.round(paper.height * LAYER_SCALE),
    );
    const ctx = canvas.getContext('2d');
    if (old) ctx.drawImage(old.canvas, 0, 0);
    ctx.scale(LAYER_SCALE, LAYER_SCALE);
    this.#layer = { canvas, bounds: paper };
    return canvas;
  }
}
