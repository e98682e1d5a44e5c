import { type Rect, rect } from '../ui/geometry.ts';
import type { Painter } from '../ui/painter.ts';
import { Scroller } from '../ui/scroller.ts';
import type { View } from '../ui/view.ts';
import type { App, AppHost, Area } from './app.ts';
import { type PageName, pageOf, type Row } from './settings-pages.ts';
import { backButton, drawSwitch } from './widgets.ts';

const HEADER = 92;
const ROW = 72;
/** Distances of the baselines of a row from its middle. */
const TITLE_BASELINE = -3;
const SUMMARY_BASELINE = 18;
const SECTION = 44;

/** A long list of settings, some of which open pages. */
export class SettingsApp implements App {
  readonly #host: AppHost;
  readonly #scrollers = new Map<PageName, Scroller>();
  readonly #path: PageName[] = ['main'];

  constructor(host: AppHost) {
    this.#host = host;
  }

  onBack(): boolean {
    if (this.#path.length === 1) return false;
    this.#scrollers.delete(this.#page);
    this.#path.pop();
    this.#host.invalidate();
    return true;
  }

  view({ screen, safe }: Area): View {
    const { theme } = this.#host;
    const page = pageOf(this.#page, this.#host);
    const list = rect(safe.x, safe.y + HEADER, safe.width, screen.y + screen.height - safe.y - HEADER);
    const scroller = this.#scrollerOf(this.#page);
    const length = page.rows.reduce((sum, row) => sum + this.#heightOf(row), 0) + 40;
    scroller.layout(list.height, length);
    const sub = this.#path.length > 1;
    return {
      role: 'screen',
      id: `settings-${this.#page}`,
      text: page.title,
      bounds: screen,
      draw: (painter) => {
        painter.fill(screen, theme.surface);
        painter.text(page.title, safe.x + (sub ? 64 : 24), safe.y + 58, {
          size: 28,
          weight: 400,
          color: theme.onSurface,
          maxWidth: safe.width - 96,
        });
      },
      children: [
        {
          role: 'list',
          id: 'settings-list',
          bounds: list,
          clip: true,
          drag: scroller,
          children: this.#rows(page.rows, list, scroller.offset),
        },
        ...(sub ? [backButton(rect(safe.x + 10, safe.y + 26, 44, 44), theme, () => this.onBack())] : []),
      ],
    };
  }

  /** Rows grow with their texts. */
  #heightOf(row: Row): number {
    return (row.kind === 'section' ? SECTION : ROW) * this.#scale;
  }

  get #scale(): number {
    return Math.max(1, this.#host.settings.fontScale);
  }

  get #page(): PageName {
    return this.#path.at(-1) ?? 'main';
  }

  #scrollerOf(page: PageName): Scroller {
    const known = this.#scrollers.get(page);
    if (known) return known;
    const scroller = new Scroller(this.#host.animator, () => this.#host.invalidate());
    this.#scrollers.set(page, scroller);
    return scroller;
  }

  #rows(rows: readonly Row[], list: Rect, offset: number): View[] {
    const views: View[] = [];
    let y = list.y - offset;
    for (const row of rows) {
      const bounds = rect(list.x, y, list.width, this.#heightOf(row));
      y += bounds.height;
      if (y >= list.y && bounds.y <= list.y + list.height) views.push(this.#row(row, bounds));
    }
    return views;
  }

  #row(row: Row, bounds: Rect): View {
    const { theme, settings } = this.#host;
    if (row.kind === 'section') {
      return {
        role: 'heading',
        text: row.title,
        bounds,
        draw: (painter) =>
          painter.text(row.title, bounds.x + 24, bounds.y + 30 * this.#scale, {
            size: 14,
            weight: 600,
            color: theme.primary,
          }),
      };
    }
    const on = settings.switches.get(row.id) ?? false;
    return {
      role: row.kind === 'switch' ? 'switch' : 'row',
      id: row.id,
      text:
        row.kind === 'switch' ? `${row.title}: ${on ? 'on' : 'off'}` : `${row.title}: ${row.summary ?? ''}`,
      bounds,
      ...(row.kind !== 'value' || row.icon ? { onTap: () => this.#tap(row) } : {}),
      draw: (painter, { pressed }) => this.#drawRow(painter, row, bounds, { pressed, on }),
    };
  }

  #tap(row: Exclude<Row, { kind: 'section' }>): void {
    const { switches } = this.#host.settings;
    if (row.kind === 'switch') switches.set(row.id, !switches.get(row.id));
    else if (row.page) this.#path.push(row.page);
    else this.#host.toast(`${row.title}: nothing to change on a simulated phone`);
    this.#host.invalidate();
  }

  #drawRow(
    painter: Painter,
    row: Exclude<Row, { kind: 'section' }>,
    bounds: Rect,
    state: { pressed: boolean; on: boolean },
  ): void {
    const { theme } = this.#host;
    const middle = bounds.y + bounds.height / 2;
    const left = bounds.x + (row.icon ? 80 : 24);
    const right = row.kind === 'switch' ? 92 : 24;
    if (state.pressed) painter.fill(bounds, theme.surfaceHigh);
    if (row.icon) {
      painter.circle({ x: bounds.x + 44, y: middle }, 20, row.color ?? theme.primary);
      painter.icon(row.icon, { x: bounds.x + 44, y: middle }, 22, '#ffffff');
    }
    const maxWidth = bounds.width - (left - bounds.x) - right;
    painter.text(row.title, left, middle + TITLE_BASELINE * this.#scale, {
      size: 17,
      color: theme.onSurface,
      maxWidth,
    });
    painter.text(row.summary ?? '', left, middle + SUMMARY_BASELINE * this.#scale, {
      size: 14,
      color: theme.onSurfaceVariant,
      maxWidth,
    });
    if (row.kind === 'switch')
      drawSwitch(painter, rect(bounds.x + bounds.width - 76, middle - 16, 52, 32), state.on, theme);
  }
}
