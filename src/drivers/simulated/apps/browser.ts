import { ANDROID_KEYS as KEYS } from '../../../contract/sockets/android-keys.ts';
import { type Rect, rect } from '../ui/geometry.ts';
import type { Painter } from '../ui/painter.ts';
import { Scroller } from '../ui/scroller.ts';
import { TextField } from '../ui/text-field.ts';
import { TextLayout } from '../ui/text-layout.ts';
import type { View } from '../ui/view.ts';
import type { App, AppHost, Area, KeyPress } from './app.ts';
import { addressOf, pageFor, START_URL, type WebPage } from './web-page.ts';
import { iconButton } from './widgets.ts';

const BAR = 60;
const HERO = 190;
const LINK = 60;
const TEXT_SIZE = 16;
const LINE = 25;
/** Maximum number of pages in the back history. */
const MAX_HISTORY = 50;

/** A browser whose pages are generated on the phone. */
export class BrowserApp implements App {
  readonly #host: AppHost;
  readonly #scroller: Scroller;
  readonly #address: TextField;
  readonly #history: WebPage[] = [pageFor(START_URL)];
  #layouts: TextLayout[] = [];
  #editing = false;

  constructor(host: AppHost) {
    this.#host = host;
    this.#scroller = new Scroller(host.animator, () => host.invalidate());
    this.#address = new TextField({ onChange: () => host.invalidate() });
  }

  get field(): TextField | null {
    return this.#editing ? this.#address : null;
  }

  openUrl(url: string): void {
    this.#editing = false;
    this.#history.push(pageFor(url));
    if (this.#history.length > MAX_HISTORY) this.#history.shift();
    this.#layouts = [];
    this.#scroller.jumpTo(0);
    this.#host.invalidate();
  }

  onBack(): boolean {
    if (this.#editing) {
      this.#editing = false;
    } else {
      if (this.#history.length === 1) return false;
      this.#history.pop();
      this.#layouts = [];
      this.#scroller.jumpTo(0);
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
      children: [this.#pageView(page, body), ...this.#bar(rect(safe.x, safe.y, safe.width, BAR))],
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

  #pageView(page: WebPage, body: Rect): View {
    const width = Math.min(body.width - 48, 600);
    const left = body.x + (body.width - width) / 2;
    const layouts = this.#laidOut(page, width);
    const textHeight = layouts.reduce((sum, layout) => sum + layout.height + 12, 0);
    const linksTop = HERO + 24 + textHeight + 8;
    const length = linksTop + page.links.length * LINK + 60;
    this.#scroller.layout(body.height, length);
    const top = body.y - this.#scroller.offset;
    return {
      role: 'document',
      id: 'page',
      text: page.title,
      bounds: body,
      clip: true,
      drag: this.#scroller,
      children: [
        this.#hero(page, rect(body.x, top, body.width, HERO), left, width),
        ...this.#paragraphs(page, layouts, rect(left, top + HERO + 24, width, textHeight)),
        ...page.links.map((link, index) =>
          this.#link(link, rect(left, top + linksTop + index * LINK, width, LINK - 8), page.hue),
        ),
      ],
    };
  }

  #laidOut(page: WebPage, width: number): TextLayout[] {
    if (this.#layouts.length === 0) {
      this.#layouts = page.paragraphs.map(
        () => new TextLayout((text) => this.#host.measure(text, TEXT_SIZE), LINE),
      );
    }
    this.#layouts.forEach((layout, index) => {
      layout.update(page.paragraphs[index] ?? '', width);
    });
    return this.#layouts;
  }

  #hero(page: WebPage, bounds: Rect, left: number, width: number): View {
    return {
      role: 'heading',
      text: page.title,
      bounds,
      draw: (painter) => {
        const { ctx } = painter;
        const gradient = ctx.createLinearGradient(
          bounds.x,
          bounds.y,
          bounds.x + bounds.width,
          bounds.y + bounds.height,
        );
        gradient.addColorStop(0, `hsl(${page.hue}, 55%, 40%)`);
        gradient.addColorStop(1, `hsl(${(page.hue + 50) % 360}, 60%, 58%)`);
        ctx.fillStyle = gradient;
        ctx.fillRect(bounds.x, bounds.y, bounds.width, bounds.height);
        painter.circle({ x: left + 26, y: bounds.y + 56 }, 26, 'rgba(255,255,255,0.22)');
        painter.centred(
          page.site
            .replace(/^www\./, '')
            .charAt(0)
            .toUpperCase(),
          { x: left + 26, y: bounds.y + 56 },
          { size: 26, weight: 600, color: '#ffffff' },
        );
        painter.text(page.site, left + 66, bounds.y + 62, {
          size: 15,
          weight: 500,
          color: '#ffffff',
          maxWidth: width - 70,
        });
        painter.text(page.title, left, bounds.y + 138, {
          size: 30,
          weight: 600,
          color: '#ffffff',
          maxWidth: width,
        });
      },
    };
  }

  #paragraphs(page: WebPage, layouts: readonly TextLayout[], area: Rect): View[] {
    let top = area.y;
    return layouts.map((layout, index) => {
      const text = page.paragraphs[index] ?? '';
      const bounds = rect(area.x, top, area.width, layout.height);
      top += layout.height + 12;
      return {
        role: 'text',
        text,
        bounds,
        draw: (painter) =>
          layout.lines.forEach((line, row) => {
            painter.text(text.slice(line.start, line.end), bounds.x, bounds.y + row * LINE + 18, {
              size: TEXT_SIZE,
              color: this.#host.theme.onSurface,
            });
          }),
      };
    });
  }

  #link({ label, url }: WebPage['links'][number], bounds: Rect, hue: number): View {
    const { theme } = this.#host;
    return {
      role: 'link',
      id: `link-${url}`,
      text: label,
      bounds,
      onTap: () => this.openUrl(url),
      draw: (painter, { pressed }) => {
        const middle = bounds.y + bounds.height / 2;
        painter.fill(bounds, pressed ? theme.outlineVariant : theme.surfaceContainer, 14);
        painter.text(label, bounds.x + 18, middle + 6, {
          size: 16,
          weight: 500,
          color: `hsl(${hue}, 55%, 32%)`,
          maxWidth: bounds.width - 60,
        });
        painter.icon('chevron', { x: bounds.x + bounds.width - 24, y: middle }, 20, theme.outline);
      },
    };
  }
}
