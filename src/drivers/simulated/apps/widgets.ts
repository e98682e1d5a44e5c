import { centre, type Rect } from '../ui/geometry.ts';
import type { IconName } from '../ui/icons.ts';
import type { Painter } from '../ui/painter.ts';
import type { Theme } from '../ui/theme.ts';
import type { View } from '../ui/view.ts';

export function drawSwitch(painter: Painter, r: Rect, on: boolean, theme: Theme): void {
  const y = r.y + r.height / 2;
  if (on) {
    painter.fill(r, theme.primary, 16);
    painter.circle({ x: r.x + r.width - 16, y }, 12, theme.onPrimary);
    painter.icon('check', { x: r.x + r.width - 16, y }, 15, theme.primary);
  } else {
    painter.fill(r, theme.surfaceHigh, 16);
    painter.outline(
      { x: r.x + 1, y: r.y + 1, width: r.width - 2, height: r.height - 2 },
      theme.outline,
      16,
      2,
    );
    painter.circle({ x: r.x + 16, y }, 8, theme.outline);
  }
}

/** A round button that shows only an icon. */
export function iconButton(options: {
  id: string;
  text: string;
  icon: IconName;
  bounds: Rect;
  color: string;
  pressedColor: string;
  onTap: () => void;
}): View {
  const { bounds } = options;
  return {
    role: 'button',
    id: options.id,
    text: options.text,
    bounds,
    onTap: options.onTap,
    draw: (painter, { pressed }) => {
      if (pressed) painter.circle(centre(bounds), bounds.width / 2, options.pressedColor);
      painter.icon(options.icon, centre(bounds), 24, options.color);
    },
  };
}

export function backButton(bounds: Rect, theme: Theme, onTap: () => void): View {
  return iconButton({
    id: 'back',
    text: 'Back',
    icon: 'back',
    bounds,
    color: theme.onSurface,
    pressedColor: theme.surfaceHigh,
    onTap,
  });
}
