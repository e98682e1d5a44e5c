import { clamp, type Point } from './geometry.ts';

/** One displayed line: `start` to `end` of the text, without the line break at its end. */
export interface Line {
  readonly start: number;
  readonly end: number;
}

type Measure = (text: string) => number;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** Number of paragraphs whose line breaks are cached, so that typing only lays out the paragraph that changes. */
const MAX_CACHED = 512;

/** Breaks text into lines of a given width, and maps between text positions and points. */
export class TextLayout {
  readonly lineHeight: number;
  readonly #measure: Measure;
  readonly #breaks = new Map<string, readonly Line[]>();
  #text = '';
  #width = 0;
  #lines: readonly Line[] = [{ start: 0, end: 0 }];

  constructor(measure: Measure, lineHeight: number) {
    this.#measure = measure;
    this.lineHeight = lineHeight;
  }

  get lines(): readonly Line[] {
    return this.#lines;
  }

  get height(): number {
    return this.#lines.length * this.lineHeight;
  }

  update(text: string, width: number): void {
    if (text === this.#text && width === this.#width) return;
    if (width !== this.#width) this.#breaks.clear();
    this.#text = text;
    this.#width = width;
    const lines: Line[] = [];
    let start = 0;
    for (const paragraph of text.split('\n')) {
      for (const line of this.#breaksOf(paragraph))
        lines.push({ start: start + line.start, end: start + line.end });
      start += paragraph.length + 1;
    }
    this.#lines = lines;
  }

  lineOf(position: number): number {
    const after = this.#lines.findIndex((line) => line.start > position);
    return (after < 0 ? this.#lines.length : after) - 1;
  }

  /** The top left of the caret at a text position, relative to the top left of the text. */
  pointOf(position: number): Point {
    const row = this.lineOf(position);
    const line = this.#lines[row] ?? { start: 0, end: 0 };
    return {
      x: this.#measure(this.#text.slice(line.start, Math.min(position, line.end))),
      y: row * this.lineHeight,
    };
  }

  /** The text position nearest to a point. */
  positionAt(point: Point): number {
    const row = clamp(Math.floor(point.y / this.lineHeight), 0, this.#lines.length - 1);
    const line = this.#lines[row] ?? { start: 0, end: 0 };
    const text = this.#text.slice(line.start, line.end);
    let nearest = 0;
    let distance = Math.abs(point.x);
    for (const { index, segment } of graphemes.segment(text)) {
      const end = index + segment.length;
      const away = Math.abs(this.#measure(text.slice(0, end)) - point.x);
      if (away > distance) break;
      nearest = end;
      distance = away;
    }
    return line.start + nearest;
  }

  #breaksOf(paragraph: string): readonly Line[] {
    const known = this.#breaks.get(paragraph);
    if (known) return known;
    const lines = this.#wrap(paragraph);
    if (this.#breaks.size >= MAX_CACHED) this.#breaks.clear();
    this.#breaks.set(paragraph, lines);
    return lines;
  }

  #wrap(paragraph: string): Line[] {
    const lines: Line[] = [];
    let start = 0;
    let end = 0;
    let width = 0;
    // A space may extend over the edge. The word after it starts on the next line.
    for (const [word] of paragraph.matchAll(/\s+|[^\s]+/gu)) {
      const wordWidth = this.#measure(word);
      const space = /^\s/.test(word);
      if (!space && end > start && width + wordWidth > this.#width) {
        lines.push({ start, end });
        start = end;
        width = 0;
      }
      if (!space && wordWidth > this.#width) {
        for (const { segment } of graphemes.segment(word)) {
          const segmentWidth = this.#measure(segment);
          if (width + segmentWidth > this.#width && end > start) {
            lines.push({ start, end });
            start = end;
            width = 0;
          }
          end += segment.length;
          width += segmentWidth;
        }
        continue;
      }
      end += word.length;
      width += wordWidth;
    }
    lines.push({ start, end });
    return lines;
  }
}
