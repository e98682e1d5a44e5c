import { ANDROID_KEYS as KEYS } from '../../../contract/sockets/android-keys.ts';
import { type Rect, rect } from '../ui/geometry.ts';
import type { Painter } from '../ui/painter.ts';
import { TextField } from '../ui/text-field.ts';
import type { View } from '../ui/view.ts';
import type { App, AppHost, Area, KeyPress } from './app.ts';
import { PageView } from './page-view.ts';
import { addressOf, pageFor, START_URL, type WebPage } from './web-page.ts';
import { iconButton } from './widgets.ts';

const BAR = 60;
/** Maximum number of pages in the back history. */
const MAX_HISTORY = 50;

/** A browser whose pages are generated on the phone. */
export class BrowserApp implements App {
  readonly #host: AppHost;
  readonly #pageView: PageView;
  readonly #address: TextField;
  readonly #history: WebPage[] = [pageFor(START_URL)];
  #editing = false;

  constructor(host: AppHost) {
    this.#host = host;
    this.#pageView = new PageView(host, (url) => this.openUrl(url));
    this.#address = new TextField({ onChange: () => host.invalidate() });
  }

  get field(): TextField | null {
    return this.#editing ? this.#address : null;
  }

  openUrl(url: string): void {
    this.#editing = false;
    this.#history.push(pageFor(url));
    if (this.#history.length > MAX_HISTORY) this.#history.shift();
    this.#pageView.reset();
    this.#host.invalidate();
  }

  onBack(): boolean {
    if (this.#editing) {
      this.#editing = false;
    } else {
      if (this.#history.length === 1) return false;
      this.#history.pop();
      this.#pageView.reset();
    }
    this.#host.invalidate();
    return true;
  }

  onKey({ code }: KeyPress): boolean {
    if (!this.#editing || (code !== KEYS.ENTER && code !== KEYS.NUMPAD_ENTER)) return false;
    if (this.#address.text.trim() !== '') this.openUrl(addressOf(this.#address.text));
    return true;
  }

  view({ screen, safe }: Area): View {
    const { theme } = this.#host;
    const page = this.#page;
    const body = rect(safe.x, safe.y + BAR, safe.width, screen.y + screen.height - safe.y - BAR);
    return {
      role: 'screen',
      id: 'browser',
      text: page.title,
      bounds: screen,
      draw: (painter) => painter.fill(screen, theme.surface),
      children: [this.#pageView.view(page, body), ...this.#bar(rect(safe.x, safe.y, safe.width, BAR))],
    };
  }

  get #page(): WebPage {
    return this.#history.at(-1) ?? pageFor(START_URL);
  }

  #bar(bar: Rect): View[] {
    const { theme } = this.#host;
    const pill = rect(bar.x + 56, bar.y + 8, bar.width - 72, 44);
    return [
      iconButton({
        id: 'home-page',
        text: 'Start page',
        icon: 'globe',
        bounds: rect(bar.x + 8, bar.y + 8, 44, 44),
        color: theme.onSurface,
        pressedColor: theme.surfaceHigh,
        onTap: () => this.openUrl(START_URL),
      }),
      {
        role: 'textfield',
        id: 'address',
        text: this.#editing ? this.#address.text : this.#page.url,
        focused: this.#editing,
        bounds: pill,
        onTap: () => this.#edit(),
        draw: (painter) => this.#drawAddress(painter, pill),
      },
    ];
  }

  #edit(): void {
    if (!this.#editing) {
      this.#editing = true;
      this.#address.setText(this.#page.url === START_URL ? '' : this.#page.url);
      this.#address.selectAll();
    }
    this.#host.showKeyboard();
    this.#host.invalidate();
  }

  #drawAddress(painter: Painter, pill: Rect): void {
    const { theme, measure } = this.#host;
    painter.fill(pill, theme.surfaceHigh, 22);
    const baseline = pill.y + 28;
    const inside = rect(pill.x + 18, pill.y, pill.width - 36, pill.height);
    if (!this.#editing) {
      const shown =
        this.#page.url === START_URL
          ? 'Search or type an address'
          : this.#page.url.replace(/^https?:\/\//, '');
      painter.text(shown, inside.x, baseline, { size: 16, color: theme.onSurface, maxWidth: inside.width });
      return;
    }
    const { text, caret, selection } = this.#address;
    const at = (position: number) => measure(text.slice(0, position), 16);
    // Keeps the end at which the user types in view.
    const left = inside.x - Math.max(0, at(caret) - inside.width + 4);
    painter.clipped(inside, () => {
      const selected = rect(
        left + at(selection.start),
        pill.y + 10,
        at(selection.end) - at(selection.start),
        24,
      );
      painter.fill(selected, theme.primaryContainer);
      painter.text(text, left, baseline, { size: 16, color: theme.onSurface });
      painter.fill(rect(left + at(caret), pill.y + 10, 2, 24), theme.primary);
    });
  }
}
