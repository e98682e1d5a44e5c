import { ANDROID_KEYS as KEYS } from '../../../contract/sockets/android-keys.ts';
import { characterOf } from '../shell/field-keys.ts';
import { centre, inset, type Rect, rect } from '../ui/geometry.ts';
import type { View } from '../ui/view.ts';
import type { App, AppHost, Area, KeyPress } from './app.ts';
import { Calculation } from './calculation.ts';

const UPRIGHT = [
  'C',
  '(',
  ')',
  '÷',
  '7',
  '8',
  '9',
  '×',
  '4',
  '5',
  '6',
  '−',
  '1',
  '2',
  '3',
  '+',
  '0',
  '.',
  '⌫',
  '=',
];
const SIDEWAYS = [
  '7',
  '8',
  '9',
  '÷',
  'C',
  '4',
  '5',
  '6',
  '×',
  '(',
  '1',
  '2',
  '3',
  '−',
  ')',
  '0',
  '.',
  '⌫',
  '+',
  '=',
];
const TYPED: Record<string, string> = { '*': '×', '/': '÷', '-': '−' };

/** A calculator with brackets and operator precedence. */
export class CalculatorApp implements App {
  readonly #host: AppHost;
  readonly #calculation = new Calculation();

  constructor(host: AppHost) {
    this.#host = host;
  }

  onKey(key: KeyPress): boolean {
    const character = characterOf(key);
    if (key.code === KEYS.DEL) this.#press('⌫');
    else if (key.code === KEYS.ENTER || key.code === KEYS.NUMPAD_ENTER) this.#press('=');
    else if (character !== undefined && /[\d.()+\-*/=]/.test(character))
      this.#press(TYPED[character] ?? character);
    else return false;
    return true;
  }

  view({ screen, safe }: Area): View {
    const { theme } = this.#host;
    const wide = screen.width > screen.height;
    const keys = wide ? SIDEWAYS : UPRIGHT;
    const columns = wide ? 5 : 4;
    const display = rect(safe.x, safe.y, safe.width, safe.height * (wide ? 0.3 : 0.32));
    const pad = rect(
      safe.x + 12,
      display.y + display.height,
      safe.width - 24,
      safe.height - display.height - 8,
    );
    const cell = { width: pad.width / columns, height: pad.height / (keys.length / columns) };
    return {
      role: 'screen',
      id: 'calculator',
      text: 'Calculator',
      bounds: screen,
      draw: (painter) => painter.fill(screen, theme.surface),
      children: [
        this.#display(display),
        ...keys.map((key, index) => {
          const x = pad.x + (index % columns) * cell.width;
          const y = pad.y + Math.floor(index / columns) * cell.height;
          return this.#key(key, rect(x, y, cell.width, cell.height));
        }),
      ],
    };
  }

  #display(bounds: Rect): View {
    const { theme } = this.#host;
    const { expression, preview } = this.#calculation;
    const right = bounds.x + bounds.width - 24;
    const largest = Math.min(56, bounds.height * 0.42);
    const size = Math.max(22, (largest * 11) / Math.max(11, expression.length));
    return {
      role: 'text',
      id: 'display',
      text: expression || '0',
      bounds,
      draw: (painter) => {
        const baseline = bounds.y + bounds.height - Math.min(56, bounds.height * 0.44);
        const maxWidth = bounds.width - 48;
        painter.text(expression || '0', right, baseline, {
          size,
          weight: 300,
          align: 'right',
          color: theme.onSurface,
          maxWidth,
        });
        painter.text(preview, right, baseline + largest * 0.68, {
          size: largest * 0.4,
          align: 'right',
          color: theme.outline,
          maxWidth,
        });
      },
    };
  }

  #key(key: string, bounds: Rect): View {
    const { theme } = this.#host;
    const digit = /[\d.⌫]/.test(key);
    const face = inset(bounds, 5);
    const color = key === '=' ? theme.primary : digit ? theme.surfaceContainer : theme.primaryContainer;
    const ink = key === '=' ? theme.onPrimary : theme.onSurface;
    return {
      role: 'button',
      id: `key-${key}`,
      text: key,
      bounds,
      onTap: () => this.#press(key),
      draw: (painter, { pressed }) => {
        painter.fill(face, pressed ? theme.outlineVariant : color, 36);
        if (key === '⌫') painter.icon('backspace', centre(face), 26, ink);
        else painter.centred(key, centre(face), { size: 28, color: ink });
      },
    };
  }

  #press(key: string): void {
    this.#calculation.press(key);
    this.#host.invalidate();
  }
}
