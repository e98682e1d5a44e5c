import type { AppDefinition } from '../apps/app.ts';
import type { Animator } from '../ui/animator.ts';
import type { Clock } from '../ui/clock.ts';
import { clamp, type Point, type Rect, rect } from '../ui/geometry.ts';
import type { Painter } from '../ui/painter.ts';
import type { Region } from '../ui/region.ts';
import { Scroller } from '../ui/scroller.ts';
import type { Theme } from '../ui/theme.ts';
import type { Drag, View } from '../ui/view.ts';
import { drawAppIcon } from './home-screen.ts';
import { STATUS_BAR } from './system-bars.ts';

/** Number of notifications that are kept. The oldest ones are removed. */
const MAX_NOTIFICATIONS = 12;
/** Distance in dp over which a finger opens the shade completely. */
const PULL_DISTANCE = 240;
/** Speed in dp/ms of a swipe that opens or closes the shade, whatever its position. */
const FLING_SPEED = 0.3;
const SLIDE_MS = 180;
/** Distance in dp by which a notification is swiped sideways to remove it. */
const DISMISS_DISTANCE = 90;
const HEADER = 52;
const CARD = 68;
const GAP = 8;
const FOOT = 30;
const MARGIN = 14;

export interface Notification {
  /** The app that it is about. It has at most one notification. */
  readonly app: AppDefinition;
  readonly text: string;
  readonly at: Date;
}

interface ShadeOptions {
  clock: Clock;
  animator: Animator;
  theme: Theme;
  region: Region;
  onChange(): void;
  /** Called when a notification is tapped. */
  onOpen(app: AppDefinition): void;
}

/** The notifications, on a panel that is pulled down from the status bar. */
export class NotificationShade implements Drag {
  readonly axis = 'vertical';
  readonly #options: ShadeOptions;
  readonly #scroller: Scroller;
  #notifications: readonly Notification[] = [];
  /** How far it is open, from 0 to 1. */
  #share = 0;
  #stop: (() => void) | null = null;
  /** The notification that is being swiped sideways. */
  #swiped: { name: string; offset: number } | null = null;

  constructor(options: ShadeOptions) {
    this.#options = options;
    this.#scroller = new Scroller(options.animator, options.onChange);
  }

  get isOpen(): boolean {
    return this.#share > 0;
  }

  get notifications(): readonly Notification[] {
    return this.#notifications;
  }

  /** Adds a notification, and removes an earlier one of the same app. */
  add(app: AppDefinition, text: string): void {
    const others = this.#without(app.package);
    this.#notifications = [{ app, text, at: this.#options.clock.date() }, ...others].slice(
      0,
      MAX_NOTIFICATIONS,
    );
    this.#options.onChange();
  }

  remove(packageName: string): void {
    this.#notifications = this.#without(packageName);
    this.#options.onChange();
  }

  expand(): void {
    this.#slide(1);
  }

  collapse(): void {
    if (this.isOpen) this.#slide(0);
  }

  /** Closes it without an animation. */
  hide(): void {
    this.#stop?.();
    this.#share = 0;
    this.#options.onChange();
  }

  start(): void {
    this.#stop?.();
  }

  move(delta: Point): void {
    this.#share = clamp(this.#share + delta.y / PULL_DISTANCE, 0, 1);
    this.#options.onChange();
  }

  end(velocity: Point): void {
    const isFlung = Math.abs(velocity.y) > FLING_SPEED;
    this.#slide((isFlung ? velocity.y > 0 : this.#share > 0.5) ? 1 : 0);
  }

  view(screen: Rect): View | null {
    if (!this.isOpen) return null;
    const { theme } = this.#options;
    const length = Math.max(1, this.#notifications.length) * (CARD + GAP);
    const room = screen.height - STATUS_BAR - HEADER - FOOT - 40;
    const listHeight = Math.min(length, room);
    const height = STATUS_BAR + HEADER + listHeight + FOOT;
    const panel = rect(screen.x, screen.y - height * (1 - this.#share), screen.width, height);
    const list = rect(panel.x, panel.y + STATUS_BAR + HEADER, panel.width, listHeight);
    this.#scroller.layout(listHeight, length);
    return {
      role: 'screen',
      id: 'notification-shade',
      bounds: screen,
      drag: this,
      onTap: () => this.collapse(),
      draw: (painter) => {
        painter.fill(screen, `rgba(12,12,18,${0.55 * this.#share})`);
        // The upper corners are above the screen.
        painter.fill(rect(panel.x, panel.y - 40, panel.width, height + 40), theme.surfaceHigh, 28);
        const handle = rect(panel.x + panel.width / 2 - 16, panel.y + height - 14, 32, 4);
        painter.fill(handle, theme.outline, 2);
      },
      children: [
        {
          role: 'group',
          id: 'notification-panel',
          // The bar above it stays legible while the panel slides in.
          bounds: rect(
            panel.x,
            screen.y + STATUS_BAR,
            panel.width,
            Math.max(0, height * this.#share - STATUS_BAR),
          ),
          clip: true,
          drag: this,
          // A tap beside the notifications does not close the shade.
          onTap: () => {},
          children: [...this.#header(panel), ...this.#content(list)],
        },
      ],
    };
  }

  #header(panel: Rect): View[] {
    const { theme, clock, region } = this.#options;
    const text = region.day(clock.date());
    const y = panel.y + STATUS_BAR;
    const date = rect(panel.x + MARGIN + 8, y, panel.width - 140, HEADER);
    const clear = rect(panel.x + panel.width - 112, y + 8, 98, 36);
    return [
      {
        role: 'text',
        id: 'shade-date',
        text,
        bounds: date,
        draw: (painter) =>
          painter.text(text, date.x, y + 32, {
            size: 17,
            weight: 500,
            color: theme.onSurface,
            maxWidth: date.width,
          }),
      },
      ...(this.#notifications.length === 0 ? [] : [this.#clearButton(clear)]),
    ];
  }

  #clearButton(bounds: Rect): View {
    const { theme, onChange } = this.#options;
    return {
      role: 'button',
      id: 'clear-notifications',
      text: 'Clear all',
      bounds,
      onTap: () => {
        this.#notifications = [];
        onChange();
      },
      draw: (painter, { pressed }) => {
        painter.fill(bounds, pressed ? theme.outlineVariant : theme.primaryContainer, 18);
        const middle = { x: bounds.x + bounds.width / 2, y: bounds.y + bounds.height / 2 };
        painter.centred('Clear all', middle, { size: 14, weight: 600, color: theme.onPrimaryContainer });
      },
    };
  }

  #content(list: Rect): View[] {
    const { theme } = this.#options;
    if (this.#notifications.length === 0) {
      const text = 'No notifications';
      const middle = { x: list.x + list.width / 2, y: list.y + list.height / 2 - 6 };
      const draw = (painter: Painter) =>
        painter.centred(text, middle, { size: 15, color: theme.onSurfaceVariant });
      return [{ role: 'text', id: 'no-notifications', text, bounds: list, draw }];
    }
    const cards = this.#notifications.map((notification, index) => {
      const top = list.y + index * (CARD + GAP) - this.#scroller.offset;
      return this.#card(notification, rect(list.x + MARGIN, top, list.width - 2 * MARGIN, CARD));
    });
    const scrolls = this.#notifications.length * (CARD + GAP) > list.height;
    return [
      {
        role: 'list',
        id: 'notifications',
        bounds: list,
        clip: true,
        children: cards,
        ...(scrolls && { drag: this.#scroller }),
      },
    ];
  }

  #card({ app, text, at }: Notification, bounds: Rect): View {
    const { theme, region, onOpen, onChange } = this.#options;
    const offset = this.#swiped?.name === app.package ? this.#swiped.offset : 0;
    const box = rect(bounds.x + offset, bounds.y, bounds.width, bounds.height);
    const time = region.time(at);
    return {
      role: 'notification',
      id: `notification-${app.package}`,
      text: `${app.label}: ${text}`,
      bounds: box,
      onTap: () => {
        this.remove(app.package);
        onOpen(app);
      },
      drag: {
        axis: 'horizontal',
        move: ({ x }) => {
          this.#swiped = {
            name: app.package,
            offset: x + (this.#swiped?.name === app.package ? this.#swiped.offset : 0),
          };
          onChange();
        },
        end: () => {
          const isAway = Math.abs(this.#swiped?.offset ?? 0) > DISMISS_DISTANCE;
          this.#swiped = null;
          if (isAway) this.remove(app.package);
          else onChange();
        },
      },
      draw: (painter, { pressed }) => {
        painter.fill(box, pressed ? theme.outlineVariant : theme.surface, 18);
        drawAppIcon(painter, app.icon, rect(box.x + 14, box.y + 14, 40, 40));
        const left = box.x + 68;
        const right = box.x + box.width - 16;
        const maxWidth = right - left - 52;
        painter.text(app.label, left, box.y + 29, {
          size: 15,
          weight: 600,
          color: theme.onSurface,
          maxWidth,
        });
        painter.text(time, right, box.y + 29, { size: 13, color: theme.onSurfaceVariant, align: 'right' });
        painter.text(text, left, box.y + 50, {
          size: 14,
          color: theme.onSurfaceVariant,
          maxWidth: right - left,
        });
      },
    };
  }

  #without(packageName: string): Notification[] {
    return this.#notifications.filter(({ app }) => app.package !== packageName);
  }

  #slide(to: 0 | 1): void {
    this.#stop?.();
    const from = this.#share;
    this.#stop = this.#options.animator.ease(SLIDE_MS, (share) => {
      this.#share = from + (to - from) * share;
      this.#options.onChange();
    });
  }
}
