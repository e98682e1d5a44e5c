import type { App } from '../apps/app.ts';
import { type Rect, rect, type Size } from '../ui/geometry.ts';
import type { Theme } from '../ui/theme.ts';
import type { View } from '../ui/view.ts';
import { Keyboard } from './keyboard.ts';
import { NAVIGATION_BAR } from './system-bars.ts';

export interface InputMethodHost {
  readonly theme: Theme;
  size(): Size;
  invalidate(): void;
}

/** The on-screen keyboard and the field that it edits, which belongs to the app that receives text. */
export class InputMethod {
  readonly #host: InputMethodHost;
  readonly #focused: () => App | null;
  readonly #keyboard: Keyboard;
  #isHidden = false;

  constructor(host: InputMethodHost, focused: () => App | null) {
    this.#host = host;
    this.#focused = focused;
    this.#keyboard = new Keyboard(host.theme, {
      type: (text) => this.#field?.insert(text),
      backspace: () => this.#field?.deleteBackward(),
      enter: () => this.#enter(),
      changed: () => host.invalidate(),
    });
  }

  get isShown(): boolean {
    return !this.#isHidden && this.#field !== null;
  }

  /** Shows the keyboard whenever a field is edited. */
  show(): void {
    this.#isHidden = false;
  }

  hide(): void {
    this.#isHidden = true;
  }

  /** In dp, including the navigation bar. */
  get height(): number {
    return this.#keyboard.height(this.#host.size(), NAVIGATION_BAR);
  }

  view(): View {
    return this.#keyboard.view(this.#bounds, NAVIGATION_BAR);
  }

  get #field() {
    return this.#focused()?.field ?? null;
  }

  get #bounds(): Rect {
    const { width, height } = this.#host.size();
    return rect(0, height - this.height, width, this.height);
  }

  #enter(): void {
    const field = this.#field;
    if (field?.multiline) field.insert('\n');
    else this.#focused()?.onKey?.({ code: 66, meta: 0 });
  }
}
