import { HARDWARE } from '../models.ts';
import { type Rect, rect } from '../ui/geometry.ts';
import type { Painter } from '../ui/painter.ts';
import type { Drag, View } from '../ui/view.ts';

/** Heights in dp. */
export const STATUS_BAR = 32;
export const NAVIGATION_BAR = 22;

export interface Status {
  readonly time: string;
  readonly color: string;
  /** Whether there are notifications. */
  readonly hasNews: boolean;
  /** Swiping down from the bar pulls down the notifications. */
  readonly drag: Drag;
}

/** The time on the left, signal and battery on the right. */
export function statusBar(screen: Rect, status: Status): View {
  const bounds = rect(screen.x, screen.y, screen.width, STATUS_BAR);
  const { time, drag } = status;
  return {
    role: 'status-bar',
    id: 'status-bar',
    bounds,
    drag,
    draw: (painter) => drawStatus(painter, bounds, status),
    children: [
      { role: 'text', id: 'status-time', text: time, bounds: rect(bounds.x + 20, bounds.y + 6, 40, 20) },
      {
        role: 'text',
        id: 'status-battery',
        text: `${HARDWARE.batteryPercent}%`,
        bounds: rect(bounds.x + bounds.width - 54, bounds.y + 6, 34, 20),
      },
    ],
  };
}

function drawStatus(painter: Painter, bounds: Rect, { time, color, hasNews }: Status): void {
  const right = bounds.x + bounds.width - 20;
  const middle = bounds.y + 17;
  painter.text(time, bounds.x + 20, middle + 5, { size: 14, weight: 600, color });
  if (hasNews) painter.icon('bell', { x: bounds.x + (time ? 74 : 28), y: middle }, 15, color);
  painter.text(`${HARDWARE.batteryPercent}`, right, middle + 4.5, {
    size: 13,
    weight: 600,
    color,
    align: 'right',
  });
  painter.icon('battery', { x: right - 25, y: middle - 0.5 }, 17, color);
  painter.icon('cellular', { x: right - 44, y: middle - 1 }, 15, color);
  painter.icon('wifi', { x: right - 64, y: middle - 0.5 }, 17, color);
}

/** The handle at the bottom; swiping up from it goes home. */
export function navigationBar(screen: Rect, color: string, drag: Drag): View {
  const bounds = rect(screen.x, screen.y + screen.height - NAVIGATION_BAR, screen.width, NAVIGATION_BAR);
  const pill = rect(screen.x + screen.width / 2 - 54, bounds.y + 12, 108, 4);
  return {
    role: 'navigation-bar',
    id: 'navigation-bar',
    bounds,
    drag,
    draw: (painter) => painter.fill(pill, color, 2),
  };
}
