import type { Canvas } from '@napi-rs/canvas';
import type { AppDefinition } from '../apps/app.ts';
import { type Rect, rect } from '../ui/geometry.ts';
import type { Scroller } from '../ui/scroller.ts';
import type { Theme } from '../ui/theme.ts';
import type { View } from '../ui/view.ts';
import { drawAppIcon } from './home-screen.ts';

/** One recently used app, with a snapshot from when it was left. */
export interface RecentApp {
  readonly definition: AppDefinition;
  readonly snapshot: Canvas | null;
}

export interface SwitcherActions {
  open(app: AppDefinition): void;
  close(app: AppDefinition): void;
  clearAll(): void;
  leave(): void;
}

const GAP = 14;
const THROWN = 90;

/** The cards of the recent apps, the latest first. Flinging a card upwards closes its app. */
export function switcherView(
  recents: readonly RecentApp[],
  screen: Rect,
  scroller: Scroller,
  theme: Theme,
  actions: SwitcherActions,
): View {
  const height = screen.height * 0.62;
  const width = (height * screen.width) / screen.height;
  const top = screen.y + screen.height * 0.17;
  const side = (screen.width - width) / 2;
  scroller.layout(screen.width, side * 2 + recents.length * (width + GAP) - GAP);
  const cards = recents.map((recent, index) => {
    const x = screen.x + side + index * (width + GAP) - scroller.offset;
    return cardView(recent, rect(x, top, width, height), theme, actions);
  });
  const clear = rect(
    screen.x + screen.width / 2 - 56,
    top + height + (screen.width > screen.height ? 8 : 28),
    112,
    40,
  );
  return {
    role: 'screen',
    id: 'app-switcher',
    bounds: screen,
    clip: true,
    drag: scroller,
    onTap: actions.leave,
    draw: (painter) => {
      painter.fill(screen, 'rgba(16,16,24,0.55)');
      if (recents.length > 0) return;
      painter.centred(
        'No recent apps',
        { x: screen.x + screen.width / 2, y: screen.y + screen.height / 2 },
        { size: 18, color: '#ffffff' },
      );
    },
    children: recents.length === 0 ? [] : [...cards, clearButton(clear, theme, actions)],
  };
}

function cardView(
  { definition, snapshot }: RecentApp,
  bounds: Rect,
  theme: Theme,
  actions: SwitcherActions,
): View {
  let lifted = 0;
  const icon = rect(bounds.x + bounds.width / 2 - 20, bounds.y - 50, 40, 40);
  return {
    role: 'card',
    id: `card-${definition.package}`,
    text: definition.label,
    bounds,
    onTap: () => actions.open(definition),
    drag: {
      axis: 'vertical',
      move: ({ y }) => {
        lifted -= y;
      },
      end: () => {
        if (lifted > THROWN) actions.close(definition);
      },
    },
    draw: (painter) => {
      painter.clipped(
        bounds,
        () => {
          painter.fill(bounds, theme.surface);
          if (snapshot) painter.image(snapshot, bounds);
        },
        20,
      );
    },
    children: [
      { role: 'image', bounds: icon, draw: (painter) => drawAppIcon(painter, definition.icon, icon) },
    ],
  };
}

function clearButton(bounds: Rect, theme: Theme, actions: SwitcherActions): View {
  return {
    role: 'button',
    id: 'clear-all',
    text: 'Clear all',
    bounds,
    onTap: actions.clearAll,
    draw: (painter, { pressed }) => {
      painter.fill(bounds, pressed ? theme.outlineVariant : theme.primaryContainer, 20);
      painter.centred(
        'Clear all',
        { x: bounds.x + 56, y: bounds.y + 20 },
        { size: 14, weight: 600, color: theme.onPrimaryContainer },
      );
    },
  };
}
