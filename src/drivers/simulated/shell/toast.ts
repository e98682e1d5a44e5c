import type { Clock } from '../ui/clock.ts';
import { centre, type Rect, rect } from '../ui/geometry.ts';
import type { View } from '../ui/view.ts';

const SHOWN_MS = 2000;

/** A short message that is shown above everything for a moment. */
export class Toast {
  readonly #clock: Clock;
  readonly #measure: (text: string, size: number) => number;
  readonly #onChange: () => void;
  #shown: { text: string; cancel: () => void } | null = null;

  constructor(clock: Clock, measure: (text: string, size: number) => number, onChange: () => void) {
    this.#clock = clock;
    this.#measure = measure;
    this.#onChange = onChange;
  }

  show(text: string): void {
    this.#shown?.cancel();
    const cancel = this.#clock.after(SHOWN_MS, () => {
      this.#shown = null;
      this.#onChange();
    });
    this.#shown = { text, cancel };
    this.#onChange();
  }

  view(screen: Rect): View | null {
    if (!this.#shown) return null;
    const { text } = this.#shown;
    const width = Math.min(this.#measure(text, 14) + 40, screen.width - 32);
    const bounds = rect(screen.x + (screen.width - width) / 2, screen.y + screen.height - 110, width, 40);
    return {
      role: 'toast',
      text,
      bounds,
      draw: (painter) => {
        painter.fill(bounds, '#313036', 20);
        painter.centred(text, centre(bounds), { size: 14, color: '#ffffff', maxWidth: width - 24 });
      },
    };
  }
}
