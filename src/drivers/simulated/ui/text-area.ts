import { type Rect, rect } from './geometry.ts';
import type { Painter } from './painter.ts';
import type { Scroller } from './scroller.ts';
import type { TextField } from './text-field.ts';
import { TextLayout } from './text-layout.ts';
import type { Theme } from './theme.ts';
import type { View } from './view.ts';

const CARET_WIDTH = 2;
const MENU_HEIGHT = 44;
const MENU_ITEM = 74;

export interface TextAreaOptions {
  field: TextField;
  scroller: Scroller;
  theme: Theme;
  size: number;
  lineHeight: number;
  clipboard: { readonly text: string; set(text: string): void };
  measure(text: string, size: number): number;
  /** Called when the area is tapped and should get the focus and show the keyboard. */
  onFocus(): void;
}

/** A multiline text that is edited in place: tap to move the caret, long press to select. */
export class TextArea {
  readonly #options: TextAreaOptions;
  readonly #layout: TextLayout;
  #menu = false;
  /** The caret position that was last scrolled into view. Scrolling elsewhere to read is thus not undone. */
  #revealed = -1;

  constructor(options: TextAreaOptions) {
    this.#options = options;
    this.#layout = new TextLayout((text) => options.measure(text, options.size), options.lineHeight);
  }

  /** Moves the caret up or down by one line. */
  stepLine(direction: -1 | 1, select: boolean): void {
    const { field } = this.#options;
    const { x, y } = this.#layout.pointOf(field.caret);
    const middle = y + (direction + 0.5) * this.#layout.lineHeight;
    if (middle < 0) field.moveTo(0, { select });
    else if (middle > this.#layout.height) field.moveTo(field.text.length, { select });
    else field.moveTo(this.#layout.positionAt({ x, y: middle }), { select });
  }

  view(bounds: Rect, placeholder: string): View {
    const { field, scroller } = this.#options;
    const { lineHeight } = this.#layout;
    this.#layout.update(field.text, bounds.width);
    scroller.layout(bounds.height, this.#layout.height + lineHeight);
    if (this.#revealed !== field.caret) {
      this.#revealed = field.caret;
      const { y } = this.#layout.pointOf(field.caret);
      scroller.reveal(y, y + lineHeight, bounds.height);
    }
    const at = (point: { x: number; y: number }) =>
      this.#layout.positionAt({ x: point.x - bounds.x, y: point.y - bounds.y + scroller.offset });
    return {
      role: 'textfield',
      id: 'text',
      text: field.text,
      // The view only exists while its text is being edited.
      focused: true,
      bounds,
      clip: true,
      drag: scroller,
      onTap: (point) => {
        this.#menu = false;
        this.#options.onFocus();
        field.moveTo(at(point));
      },
      onLongPress: (point) => {
        this.#menu = true;
        this.#options.onFocus();
        field.selectWordAt(at(point));
      },
      draw: (painter) => painter.clipped(bounds, () => this.#draw(painter, bounds, placeholder)),
    };
  }

  /** A menu over the text with cut, copy, paste and select all, while it is shown. */
  menu(bounds: Rect): View[] {
    const { field, theme, scroller } = this.#options;
    const selected = field.selectedText !== '';
    if (!this.#menu && !selected) return [];
    const actions = this.#actions(selected);
    const { y } = this.#layout.pointOf(field.selection.start);
    const above = bounds.y + y - scroller.offset - MENU_HEIGHT - 8;
    const top = above < bounds.y - 40 ? above + MENU_HEIGHT + this.#layout.lineHeight + 16 : above;
    const width = actions.length * MENU_ITEM;
    const box = rect(
      bounds.x + (bounds.width - width) / 2,
      Math.min(top, bounds.y + bounds.height - MENU_HEIGHT),
      width,
      MENU_HEIGHT,
    );
    return [
      {
        role: 'menu',
        id: 'text-menu',
        bounds: box,
        draw: (painter) => painter.fill(box, theme.onSurface, MENU_HEIGHT / 2),
        children: actions.map(({ id, label, run }, index) =>
          this.#item(id, label, run, rect(box.x + index * MENU_ITEM, box.y, MENU_ITEM, MENU_HEIGHT)),
        ),
      },
    ];
  }

  #actions(selected: boolean) {
    const { field, clipboard } = this.#options;
    const copy = () => clipboard.set(field.selectedText);
    const cut = () => {
      copy();
      field.insert('');
    };
    return [
      ...(selected
        ? [
            { id: 'cut', label: 'Cut', run: cut },
            { id: 'copy', label: 'Copy', run: copy },
          ]
        : []),
      ...(clipboard.text === ''
        ? []
        : [{ id: 'paste', label: 'Paste', run: () => field.insert(clipboard.text) }]),
      { id: 'select-all', label: 'All', run: () => field.selectAll() },
    ];
  }

  #item(id: string, label: string, run: () => void, bounds: Rect): View {
    const { theme, field } = this.#options;
    return {
      role: 'button',
      id,
      text: label,
      bounds,
      onTap: () => {
        run();
        this.#menu = id === 'select-all';
        if (id === 'copy') field.moveTo(field.selection.end);
      },
      draw: (painter, { pressed }) => {
        const middle = { x: bounds.x + bounds.width / 2, y: bounds.y + bounds.height / 2 };
        painter.centred(label, middle, {
          size: 14,
          weight: 500,
          color: pressed ? theme.outline : theme.surface,
        });
      },
    };
  }

  #draw(painter: Painter, bounds: Rect, placeholder: string): void {
    const { field, theme, size, scroller } = this.#options;
    const { lineHeight, lines } = this.#layout;
    const top = bounds.y - scroller.offset;
    const baseline = lineHeight * 0.7;
    if (field.text === '')
      painter.text(placeholder, bounds.x, top + baseline, { size, color: theme.outline });
    const first = Math.max(0, Math.floor((bounds.y - top) / lineHeight));
    const last = Math.min(lines.length, Math.ceil((bounds.y + bounds.height - top) / lineHeight));
    for (let row = first; row < last; row++) {
      const line = lines[row] ?? { start: 0, end: 0 };
      this.#drawSelection(painter, bounds.x, top + row * lineHeight, line);
      const text = field.text.slice(line.start, line.end);
      painter.text(text, bounds.x, top + row * lineHeight + baseline, { size, color: theme.onSurface });
    }
    const caret = this.#layout.pointOf(field.caret);
    painter.fill(rect(bounds.x + caret.x - 1, top + caret.y + 2, CARET_WIDTH, lineHeight - 4), theme.primary);
  }

  #drawSelection(painter: Painter, left: number, top: number, line: { start: number; end: number }): void {
    const { field, theme, size, measure } = this.#options;
    const start = Math.max(field.selection.start, line.start);
    const end = Math.min(field.selection.end, line.end);
    if (start >= end) return;
    const x = measure(field.text.slice(line.start, start), size);
    const width = measure(field.text.slice(start, end), size);
    painter.fill(rect(left + x, top, width, this.#layout.lineHeight), theme.primaryContainer);
  }
}
