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
  readonly isAirplaneMode: boolean;
  readonly savesBattery: boolean;
  /** Swiping down from the bar pulls down the notifications. */
  readonly drag: Drag;
}

/** The time on the left, signal and battery on the right. */
export function statusBar(screen: Rect, status: Status): View {
  const bounds = rect(screen.x, screen.y, screen.width, STATUS_BAR);
  const { time, drag, isAirplaneMode, savesBattery } = status;
  const sign = (id: string, text: string, fromRight: number): View => ({
    role: 'text',
    id,
    text,
    bounds: rect(bounds.x + bounds.width - fromRight, bounds.y + 6, 20, 20),
  });
  return {
    role: 'status-bar',
    id: 'status-bar',
    bounds,
    drag,
    draw: (painter) => drawStatus(painter, bounds, status),
    children: [
      { role: 'text', id: 'status-time', text: time, bounds: rect(bounds.x + 20, bounds.y + 6, 48, 20) },
      ...(isAirplaneMode ? [sign('status-airplane', 'Aeroplane mode', 94)] : []),
      ...(savesBattery ? [sign('status-battery-saver', 'Battery saver', 74)] : []),
      {
        role: 'text',
        id: 'status-battery',
        text: `${HARDWARE.batteryPercent}%`,
        bounds: rect(bounds.x + bounds.width - 54, bounds.y + 6, 34, 20),
      },
    ],
  };
}

function drawStatus(painter: Painter, bounds: Rect, status: Status): void {
  const { time, color, hasNews, isAirplaneMode, savesBattery } = status;
  const right = bounds.x + bounds.width - 20;
  const middle = bounds.y + 17;
  painter.text(time, bounds.x + 20, middle + 5, { size: 14, weight: 600, color, isFixed: true });
  const end = time ? painter.measure(time, 14, 600, true) : 0;
  if (hasNews) painter.icon('bell', { x: bounds.x + Math.max(28, end + 35), y: middle }, 15, color);
  painter.text(`${HARDWARE.batteryPercent}`, right, middle + 4.5, {
    size: 13,
    weight: 600,
    color,
    align: 'right',
    isFixed: true,
  });
  const battery = { x: right - 25, y: middle - 0.5 };
  painter.icon('battery', battery, 17, color);
  if (savesBattery) painter.icon('add', { x: battery.x, y: battery.y + 1.5 }, 8, '#e8710a');
  if (isAirplaneMode) {
    painter.icon('plane', { x: right - 46, y: middle - 1 }, 17, color);
    return;
  }
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
