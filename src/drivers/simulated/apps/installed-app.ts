import { drawAppIcon } from '../shell/home-screen.ts';
import { rect } from '../ui/geometry.ts';
import type { View } from '../ui/view.ts';
import type { App, AppDefinition, AppHost, Area } from './app.ts';

const ICON = 96;

/** The screen of an installed app on a phone that cannot run its code: its icon, name and version. */
export class InstalledApp implements App {
  readonly #host: AppHost;
  readonly #definition: AppDefinition;
  readonly #version: string;

  constructor(host: AppHost, definition: AppDefinition, version: string) {
    this.#host = host;
    this.#definition = definition;
    this.#version = version;
  }

  view({ screen, safe }: Area): View {
    const { theme } = this.#host;
    const { icon, label, package: name } = this.#definition;
    const middle = safe.x + safe.width / 2;
    const top = safe.y + Math.max(12, safe.height * 0.3 - ICON / 2);
    const line = (id: string, text: string, offset: number, size: number, color: string): View => ({
      role: 'text',
      id,
      text,
      bounds: rect(safe.x + 24, top + offset, safe.width - 48, size * 1.5),
      draw: (painter) =>
        painter.text(text, middle, top + offset + size, {
          size,
          color,
          align: 'center',
          maxWidth: safe.width - 48,
        }),
    });
    return {
      role: 'screen',
      id: `app-${name}`,
      text: label,
      bounds: screen,
      draw: (painter) => {
        painter.fill(screen, theme.surface);
        drawAppIcon(painter, icon, rect(middle - ICON / 2, top, ICON, ICON));
      },
      children: [
        line('app-label', label, ICON + 24, 26, theme.onSurface),
        line('app-version', this.#version, ICON + 64, 16, theme.onSurfaceVariant),
        line('app-package', name, ICON + 92, 14, theme.onSurfaceVariant),
      ],
    };
  }
}
