import type { PhoneSettings } from '../apps/app.ts';
import type { Clock } from '../ui/clock.ts';
import { clamp, type Rect, rect } from '../ui/geometry.ts';
import type { Theme } from '../ui/theme.ts';
import type { View } from '../ui/view.ts';

const SHOWN_MS = 2500;
const STEPS = 15;

/** The slider that the volume keys show for a moment. */
export class VolumePanel {
  readonly #clock: Clock;
  readonly #settings: PhoneSettings;
  readonly #onChange: () => void;
  #hide: (() => void) | null = null;

  constructor(clock: Clock, settings: PhoneSettings, onChange: () => void) {
    this.#clock = clock;
    this.#settings = settings;
    this.#onChange = onChange;
  }

  /** `step` is a number of steps of Android's media volume; `mute` sets it to zero. */
  change(step: number | 'mute'): void {
    const volume = step === 'mute' ? 0 : Math.round(this.#settings.volume * STEPS + step) / STEPS;
    this.#settings.volume = clamp(volume, 0, 1);
    this.#hide?.();
    this.#hide = this.#clock.after(SHOWN_MS, () => this.dismiss());
    this.#onChange();
  }

  dismiss(): void {
    if (!this.#hide) return;
    this.#hide();
    this.#hide = null;
    this.#onChange();
  }

  view(screen: Rect, theme: Theme): View | null {
    if (!this.#hide) return null;
    const height = Math.min(210, screen.height * 0.6);
    const panel = rect(screen.x + screen.width - 64, screen.y + (screen.height - height) * 0.36, 50, height);
    const track = rect(panel.x + 9, panel.y + 12, 32, height - 60);
    const level = track.height * this.#settings.volume;
    return {
      role: 'slider',
      id: 'volume',
      text: `${Math.round(this.#settings.volume * 100)}%`,
      bounds: panel,
      onTap: ({ y }) => {
        this.#settings.volume = clamp((track.y + track.height - y) / track.height, 0, 1);
        this.change(0);
      },
      draw: (painter) => {
        painter.fill(panel, theme.surfaceContainer, 25);
        painter.fill(track, theme.primaryContainer, 16);
        painter.clipped(
          track,
          () =>
            painter.fill(rect(track.x, track.y + track.height - level, track.width, level), theme.primary),
          16,
        );
        const icon = this.#settings.volume === 0 ? 'mute' : 'sound';
        painter.icon(icon, { x: panel.x + 25, y: panel.y + height - 26 }, 22, theme.onSurface);
      },
    };
  }
}
