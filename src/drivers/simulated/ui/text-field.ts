/** Maximum text length of a field, in UTF-16 units. */
export const MAX_FIELD_LENGTH = 100_000;

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const words = new Intl.Segmenter(undefined, { granularity: 'word' });
/**
 * Number of UTF-16 units around the caret that are examined to find a character boundary. The longest emoji are
 * shorter.
 */
const CONTEXT = 64;

/** A text that is being edited, with its caret and selection. Positions are in UTF-16 units. */
export class TextField {
  readonly multiline: boolean;
  readonly #onChange: () => void;
  #text: string;
  #anchor: number;
  #caret: number;

  constructor(options: { text?: string; multiline?: boolean; onChange: () => void }) {
    this.#text = options.text ?? '';
    this.multiline = options.multiline ?? false;
    this.#onChange = options.onChange;
    this.#anchor = this.#text.length;
    this.#caret = this.#text.length;
  }

  get text(): string {
    return this.#text;
  }

  get caret(): number {
    return this.#caret;
  }

  /** Empty (`start` equals `end`) when nothing is selected. */
  get selection(): { start: number; end: number } {
    return { start: Math.min(this.#anchor, this.#caret), end: Math.max(this.#anchor, this.#caret) };
  }

  get selectedText(): string {
    const { start, end } = this.selection;
    return this.#text.slice(start, end);
  }

  setText(text: string): void {
    this.#text = text.slice(0, MAX_FIELD_LENGTH);
    this.#anchor = this.#text.length;
    this.moveTo(this.#text.length);
  }

  moveTo(position: number, options: { select?: boolean } = {}): void {
    this.#caret = Math.min(Math.max(position, 0), this.#text.length);
    if (!options.select) this.#anchor = this.#caret;
    this.#onChange();
  }

  select(start: number, end: number): void {
    this.#anchor = start;
    this.moveTo(end, { select: true });
  }

  selectAll(): void {
    this.select(0, this.#text.length);
  }

  /** Selects the word at a position, or the gap between two words. */
  selectWordAt(position: number): void {
    const from = Math.max(0, position - CONTEXT);
    for (const { index, segment } of words.segment(this.#text.slice(from, position + CONTEXT))) {
      if (from + index + segment.length > position || from + index + segment.length === this.#text.length) {
        this.select(from + index, from + index + segment.length);
        return;
      }
    }
  }

  /** Replaces the selection with text. Text beyond the maximum length is dropped. */
  insert(text: string): void {
    const { start, end } = this.selection;
    const clean = this.multiline ? text.replaceAll('\r\n', '\n') : text.replaceAll(/[\r\n]+/g, ' ');
    const room = MAX_FIELD_LENGTH - (this.#text.length - (end - start));
    const fitting = clean.slice(0, Math.max(0, room));
    this.#text = this.#text.slice(0, start) + fitting + this.#text.slice(end);
    this.moveTo(start + fitting.length);
  }

  deleteBackward(): void {
    if (this.selectedText === '') this.#anchor = this.#before(this.#caret);
    this.insert('');
  }

  deleteForward(): void {
    if (this.selectedText === '') this.#anchor = this.#after(this.#caret);
    this.insert('');
  }

  /** Moves the caret by one character. If there is a selection, moves it to the end of the selection. */
  step(direction: -1 | 1, options: { select?: boolean } = {}): void {
    const { start, end } = this.selection;
    if (start !== end && !options.select) this.moveTo(direction < 0 ? start : end);
    else this.moveTo(direction < 0 ? this.#before(this.#caret) : this.#after(this.#caret), options);
  }

  #before(position: number): number {
    const from = Math.max(0, position - CONTEXT);
    const last = [...graphemes.segment(this.#text.slice(from, position))].at(-1);
    return last ? from + last.index : 0;
  }

  #after(position: number): number {
    const [first] = graphemes.segment(this.#text.slice(position, position + CONTEXT));
    return position + (first?.segment.length ?? 0);
  }
}
