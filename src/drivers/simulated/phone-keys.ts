import { ANDROID_KEYS as KEYS } from '../../contract/sockets/android-keys.ts';
import type { AppHost, KeyPress } from './apps/app.ts';
import { BROWSER, SETTINGS } from './apps/catalogue.ts';
import { editWithKey } from './shell/field-keys.ts';
import type { Shell } from './shell/shell.ts';

export interface KeyEffects {
  /** Without a value, toggles the state. */
  power(on?: boolean): void;
  isOn(): boolean;
  readonly clipboard: AppHost['clipboard'];
}

/** Handles keys: system keys first; all others go to the app in the foreground. */
export class PhoneKeys {
  readonly #shell: Shell;
  readonly #effects: KeyEffects;
  readonly #system: ReadonlyMap<number, () => void>;

  constructor(shell: Shell, effects: KeyEffects) {
    this.#shell = shell;
    this.#effects = effects;
    this.#system = new Map([
      [KEYS.HOME, () => shell.home()],
      [KEYS.BACK, () => shell.back()],
      [KEYS.ESCAPE, () => shell.back()],
      [KEYS.APP_SWITCH, () => shell.showRecents()],
      [KEYS.NOTIFICATION, () => shell.shade.expand()],
      [KEYS.MENU, () => shell.unlock()],
      [KEYS.VOLUME_UP, () => shell.volume.change(1)],
      [KEYS.VOLUME_DOWN, () => shell.volume.change(-1)],
      [KEYS.VOLUME_MUTE, () => shell.volume.change('mute')],
      [KEYS.SETTINGS, () => !shell.locked && shell.open(SETTINGS)],
      [KEYS.EXPLORER, () => !shell.locked && shell.open(BROWSER)],
    ]);
  }

  down(key: KeyPress): void {
    const { code } = key;
    if (code === KEYS.POWER) this.#effects.power();
    else if (code === KEYS.WAKEUP) this.#effects.power(true);
    else if (code === KEYS.SLEEP || code === KEYS.SOFT_SLEEP) this.#effects.power(false);
    else if (this.#effects.isOn()) this.#whileOn(key);
  }

  /** Types text into the focused field. Without one the text is ignored, as on a real phone. */
  type(text: string): void {
    this.#shell.focused?.field?.insert(text);
  }

  #whileOn(key: KeyPress): void {
    const system = this.#system.get(key.code);
    if (system) {
      system();
      return;
    }
    const app = this.#shell.focused;
    if (app?.onKey?.(key)) return;
    if (app?.field) editWithKey(app.field, key, this.#effects.clipboard);
  }
}
