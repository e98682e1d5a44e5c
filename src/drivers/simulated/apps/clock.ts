import { type Rect, rect } from '../ui/geometry.ts';
import type { Painter } from '../ui/painter.ts';
import type { View } from '../ui/view.ts';
import type { App, AppHost, Area } from './app.ts';

const CITIES = [
  { name: 'Lisbon', zone: 'Europe/Lisbon' },
  { name: 'Nairobi', zone: 'Africa/Nairobi' },
  { name: 'Tokyo', zone: 'Asia/Tokyo' },
  { name: 'São Paulo', zone: 'America/Sao_Paulo' },
];

const CARD = 68;

/**
 * An analogue clock and the time in other places. There is no second hand, because it would make the screen change
 * all the time.
 */
export class ClockApp implements App {
  readonly #host: AppHost;

  constructor(host: AppHost) {
    this.#host = host;
  }

  view({ screen, safe }: Area): View {
    const { theme, clock, settings } = this.#host;
    const date = clock.date();
    const wide = safe.width > safe.height;
    const radius = Math.min(safe.width * 0.34, safe.height * (wide ? 0.34 : 0.22), 130);
    const middle = {
      x: safe.x + safe.width * (wide ? 0.25 : 0.5),
      y: safe.y + (wide ? safe.height / 2 : 84 + radius),
    };
    const cards = wide
      ? rect(safe.x + safe.width * 0.5, safe.y + 12, safe.width * 0.46, safe.height)
      : rect(safe.x + 20, middle.y + radius + 70, safe.width - 40, safe.height);
    return {
      role: 'screen',
      id: 'clock',
      text: 'Clock',
      bounds: screen,
      draw: (painter) => {
        painter.fill(screen, theme.surface);
        painter.text('Clock', safe.x + 24, safe.y + 46, { size: 28, color: theme.onSurface });
      },
      children: [
        {
          role: 'text',
          id: 'time',
          text: settings.region.time(date),
          bounds: rect(middle.x - radius, middle.y - radius, radius * 2, radius * 2),
          draw: (painter) => this.#drawDial(painter, middle, radius, date),
        },
        ...CITIES.map(({ name, zone }, index) =>
          this.#city(
            name,
            settings.region.timeIn(zone, date),
            rect(cards.x, cards.y + index * (CARD + 8), cards.width, CARD),
          ),
        ),
      ],
    };
  }

  #drawDial(painter: Painter, middle: { x: number; y: number }, radius: number, date: Date): void {
    const { theme } = this.#host;
    painter.circle(middle, radius, theme.primaryContainer);
    for (let hour = 0; hour < 12; hour++) {
      const angle = (hour / 12) * Math.PI * 2;
      const dot = {
        x: middle.x + Math.sin(angle) * radius * 0.86,
        y: middle.y - Math.cos(angle) * radius * 0.86,
      };
      painter.circle(dot, hour % 3 === 0 ? 3.5 : 2, theme.onPrimaryContainer);
    }
    const { hours: hour24, minutes } = this.#host.settings.region.clock(date);
    const hours = (hour24 % 12) + minutes / 60;
    const hand = (turn: number, length: number, width: number, color: string) =>
      painter.line(
        middle,
        {
          x: middle.x + Math.sin(turn * Math.PI * 2) * length,
          y: middle.y - Math.cos(turn * Math.PI * 2) * length,
        },
        color,
        width,
      );
    hand(hours / 12, radius * 0.5, 9, theme.onPrimaryContainer);
    hand(minutes / 60, radius * 0.74, 6, theme.primary);
    painter.circle(middle, 7, theme.primary);
  }

  #city(name: string, time: string, bounds: Rect): View {
    const { theme } = this.#host;
    return {
      role: 'row',
      id: `city-${name}`,
      text: `${name}: ${time}`,
      bounds,
      draw: (painter) => {
        const middle = bounds.y + bounds.height / 2;
        painter.fill(bounds, theme.surfaceContainer, 18);
        painter.text(name, bounds.x + 20, middle + 6, { size: 17, color: theme.onSurface });
        painter.text(time, bounds.x + bounds.width - 20, middle + 9, {
          size: 26,
          weight: 300,
          align: 'right',
          color: theme.onSurface,
        });
      },
    };
  }
}
