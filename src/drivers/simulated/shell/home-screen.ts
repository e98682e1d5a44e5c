import type { AppDefinition } from '../apps/app.ts';
import { centre, type Rect, rect } from '../ui/geometry.ts';
import type { Painter } from '../ui/painter.ts';
import type { View } from '../ui/view.ts';

const ICON = 56;
const COLUMNS = 4;
const DOCKED = 4;
const NARROWEST_CELL = 76;

/** Actions of the home screen. */
export interface HomeActions {
  /** The current date, as the phone shows it. */
  readonly day: string;
  open(app: AppDefinition): void;
  search(): void;
}

export function drawAppIcon(painter: Painter, icon: AppDefinition['icon'], r: Rect): void {
  const { image } = icon;
  if (image) {
    painter.clipped(r, () => painter.image(image, r), r.width / 2);
    return;
  }
  painter.circle(centre(r), r.width / 2, icon.background);
  painter.icon(icon.name, centre(r), r.width * 0.5, icon.color);
}

/** The search bar, a grid of icons and the dock. In landscape orientation all of them are in one row. */
export function homeView(
  apps: readonly AppDefinition[],
  screen: Rect,
  safe: Rect,
  actions: HomeActions,
): View {
  const wide = screen.width > screen.height;
  const docked = wide ? [] : apps.slice(0, DOCKED);
  const onGrid = wide ? apps : apps.slice(DOCKED);
  const dockTop = safe.y + safe.height - 88;
  const pill = rect(
    safe.x + safe.width / 2 - Math.min(safe.width - 40, 420) / 2,
    wide ? safe.y + 22 : dockTop - 68,
    Math.min(safe.width - 40, 420),
    50,
  );
  const gridTop = wide ? pill.y + 88 : pill.y - 24 - 100 * Math.ceil(onGrid.length / COLUMNS);
  const gridColumns = wide ? Math.min(apps.length, Math.floor(safe.width / NARROWEST_CELL)) : COLUMNS;
  return {
    role: 'screen',
    id: 'home-screen',
    bounds: screen,
    children: [
      ...(wide ? [] : [dateLine(rect(safe.x + 24, safe.y + 28, safe.width - 48, 40), actions.day)]),
      ...icons(onGrid, gridColumns, rect(safe.x + 12, gridTop, safe.width - 24, 100), actions, true),
      searchPill(pill, actions),
      ...icons(docked, COLUMNS, rect(safe.x + 12, dockTop, safe.width - 24, 88), actions, false),
    ],
  };
}

function icons(
  apps: readonly AppDefinition[],
  columns: number,
  row: Rect,
  actions: HomeActions,
  labels: boolean,
): View[] {
  const cell = row.width / columns;
  return apps.map((app, index) => {
    const bounds = rect(
      row.x + (index % columns) * cell,
      row.y + Math.floor(index / columns) * row.height,
      cell,
      row.height,
    );
    const icon = rect(bounds.x + (cell - ICON) / 2, bounds.y + 8, ICON, ICON);
    return {
      role: 'icon',
      id: `icon-${app.package}`,
      text: app.label,
      bounds,
      onTap: () => actions.open(app),
      draw: (painter, { pressed }) => {
        if (pressed) painter.circle(centre(icon), ICON / 2 + 7, 'rgba(255,255,255,0.3)');
        drawAppIcon(painter, app.icon, icon);
        if (!labels) return;
        painter.text(app.label, bounds.x + cell / 2, icon.y + ICON + 20, {
          size: 13,
          weight: 500,
          color: '#ffffff',
          align: 'center',
          maxWidth: cell - 4,
        });
      },
    };
  });
}

function dateLine(bounds: Rect, text: string): View {
  return {
    role: 'text',
    id: 'home-date',
    text,
    bounds,
    draw: (painter) =>
      painter.text(text, bounds.x, bounds.y + 28, { size: 23, color: '#ffffff', maxWidth: bounds.width }),
  };
}

function searchPill(bounds: Rect, actions: HomeActions): View {
  const y = bounds.y + bounds.height / 2;
  return {
    role: 'button',
    id: 'search',
    text: 'Search or type a web address',
    bounds,
    onTap: actions.search,
    draw: (painter, { pressed }) => {
      painter.fill(bounds, pressed ? '#e4e4ea' : 'rgba(255,255,255,0.94)', 25);
      painter.icon('search', { x: bounds.x + 28, y }, 22, '#4a4a55');
      painter.text('Search', bounds.x + 52, y + 5.5, { size: 16, color: '#5c5c67' });
      painter.icon('mic', { x: bounds.x + bounds.width - 28, y }, 22, '#4a4a55');
    },
  };
}
