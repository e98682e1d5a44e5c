import { type Rect, rect } from '../ui/geometry.ts';
import { Scroller } from '../ui/scroller.ts';
import { TextLayout } from '../ui/text-layout.ts';
import type { View } from '../ui/view.ts';
import type { AppHost } from './app.ts';
import type { WebPage } from './web-page.ts';

const HERO = 190;
const LINK = 60;
const TEXT_SIZE = 16;
const LINE = 25;

/** Lays out and scrolls the page that the browser shows. */
export class PageView {
  readonly #host: AppHost;
  readonly #open: (url: string) => void;
  readonly #scroller: Scroller;
  #layouts: TextLayout[] = [];

  constructor(host: AppHost, open: (url: string) => void) {
    this.#host = host;
    this.#open = open;
    this.#scroller = new Scroller(host.animator, () => host.invalidate());
  }

  /** Called when another page is shown. */
  reset(): void {
    this.#layouts = [];
    this.#scroller.jumpTo(0);
  }

  view(page: WebPage, body: Rect): View {
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
      onTap: () => this.#open(url),
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
