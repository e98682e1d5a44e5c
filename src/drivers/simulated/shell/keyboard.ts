import { type Point, type Rect, rect } from '../ui/geometry.ts';
import type { IconName } from '../ui/icons.ts';
import type { Painter } from '../ui/painter.ts';
import type { Theme } from '../ui/theme.ts';
import type { View } from '../ui/view.ts';

type Page = 'letters' | 'symbols';

/** Effects of the keyboard's keys. The field handles `enter` and `backspace`. */
export interface KeyboardTarget {
  type(text: string): void;
  backspace(): void;
  enter(): void;
  changed(): void;
}

const ROWS: Record<Page, readonly string[]> = {
  letters: ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'],
  symbols: ['1234567890', '@#£_&-+()/', '*"\':;!?'],
};

const ROW_GAP = 8;
const KEY_GAP = 5;
const PADDING = 4;

/** The on-screen keyboard. */
export class Keyboard {
  readonly #theme: Theme;
  readonly #target: KeyboardTarget;
  #page: Page = 'letters';
  #shift = false;

  constructor(theme: Theme, target: KeyboardTarget) {
    this.#theme = theme;
    this.#target = target;
  }

  /** In dp. `bottom` is the height of the navigation bar below the keys. */
  height(screen: { width: number; height: number }, bottom: number): number {
    return (screen.height > screen.width ? 228 : 172) + bottom;
  }

  view(bounds: Rect, bottom: number): View {
    const rowHeight = (bounds.height - bottom - PADDING) / 4;
    const unit = Math.min(bounds.width, 640) / 10;
    const left = bounds.x + (bounds.width - unit * 10) / 2;
    const rowTop = (row: number) => bounds.y + PADDING + row * rowHeight;
    const [first = '', second = '', third = ''] = ROWS[this.#page];
    const keys = [
      ...this.#letters(first, left, rowTop(0), unit, rowHeight),
      ...this.#letters(second, left + ((10 - second.length) / 2) * unit, rowTop(1), unit, rowHeight),
      ...this.#letters(third, left + 1.5 * unit, rowTop(2), unit, rowHeight),
      ...this.#controls(left, rowTop, unit, rowHeight),
    ];
    return {
      role: 'keyboard',
      id: 'keyboard',
      bounds,
      draw: (painter) => painter.fill(bounds, this.#theme.surfaceHigh),
      // A tap between two keys types nothing, and does not reach the view behind the keyboard.
      onTap: () => {},
      children: keys,
    };
  }

  #letters(letters: string, x: number, y: number, unit: number, height: number): View[] {
    return [...letters].map((letter, column) => {
      const text = this.#shift ? letter.toUpperCase() : letter;
      return this.#key(`key-${letter}`, text, rect(x + column * unit, y, unit, height), '#ffffff', () => {
        this.#shift = false;
        this.#target.type(text);
        this.#target.changed();
      });
    });
  }

  #controls(left: number, top: (row: number) => number, unit: number, height: number): View[] {
    const { primaryContainer, outlineVariant } = this.#theme;
    const wide = 1.5 * unit;
    const at = (column: number, row: number, width: number) =>
      rect(left + column * unit, top(row), width, height);
    const type = (text: string) => () => this.#target.type(text);
    const letters = this.#page === 'letters';
    return [
      letters
        ? this.#key(
            'key-shift',
            'shift',
            at(0, 2, wide),
            outlineVariant,
            () => this.#toggleShift(),
            this.#shift ? 'shift-on' : 'shift',
          )
        : this.#key('key-more', '=', at(0, 2, wide), outlineVariant, type('=')),
      this.#key(
        'key-backspace',
        'backspace',
        at(8.5, 2, wide),
        outlineVariant,
        () => this.#target.backspace(),
        'backspace',
      ),
      this.#key('key-page', letters ? '?123' : 'ABC', at(0, 3, wide), outlineVariant, () => this.#turnPage()),
      this.#key('key-comma', ',', at(1.5, 3, unit), outlineVariant, type(',')),
      this.#key('key-space', 'space', at(2.5, 3, unit * 5), '#ffffff', type(' ')),
      this.#key('key-period', '.', at(7.5, 3, unit), outlineVariant, type('.')),
      this.#key(
        'key-enter',
        'enter',
        at(8.5, 3, wide),
        primaryContainer,
        () => this.#target.enter(),
        'enter',
      ),
    ];
  }

  #key(
    id: string,
    text: string,
    cell: Rect,
    color: string,
    onTap: (at: Point) => void,
    icon?: IconName,
  ): View {
    const face = rect(
      cell.x + KEY_GAP / 2,
      cell.y + ROW_GAP / 2,
      cell.width - KEY_GAP,
      cell.height - ROW_GAP,
    );
    return {
      role: 'key',
      id,
      text,
      bounds: cell,
      onTap,
      draw: (painter, { pressed }) =>
        this.#drawKey(painter, face, text, pressed ? this.#theme.outline : color, icon),
    };
  }

  #drawKey(painter: Painter, face: Rect, text: string, color: string, icon: IconName | undefined): void {
    const middle = { x: face.x + face.width / 2, y: face.y + face.height / 2 };
    painter.fill(face, color, 7);
    if (icon) painter.icon(icon, middle, 20, this.#theme.onSurface);
    else if (text === 'space')
      painter.centred('English', middle, { size: 11, color: this.#theme.outline, isFixed: true });
    else
      painter.centred(text, middle, {
        size: text.length > 1 ? 13 : 20,
        color: this.#theme.onSurface,
        isFixed: true,
      });
  }

  #toggleShift(): void {
    this.#shift = !this.#shift;
    this.#target.changed();
  }

  #turnPage(): void {
    this.#page = this.#page === 'letters' ? 'symbols' : 'letters';
    this.#shift = false;
    this.#target.changed();
  }
}
