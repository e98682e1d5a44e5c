import type { UiNode } from '../../../contract/sockets/control-methods.ts';
import { contains, intersection, type Point, type Rect, type Size } from './geometry.ts';
import type { Painter } from './painter.ts';

/** Handler of a pointer that drags a view. Distances are in dp, speeds in dp/ms. */
export interface Drag {
  readonly axis: 'vertical' | 'horizontal' | 'both';
  start?(): void;
  move(delta: Point, at: Point): void;
  end(velocity: Point): void;
  /** Handles a step of a mouse wheel, in dp. */
  wheel?(delta: Point): void;
}

export interface Touch {
  readonly action: 'down' | 'move' | 'up' | 'cancel';
  readonly pointer: string;
  readonly at: Point;
  /** From 0 to 1. */
  readonly pressure: number;
}

/**
 * An element on the screen. Screens build their views from their state each time they are asked, so that drawing, hit
 * testing and `ui.tree` always agree. Bounds are in dp from the top left of the screen.
 */
export interface View {
  readonly role: string;
  readonly bounds: Rect;
  /** Stable while the element exists; required for elements that can be tapped. */
  readonly id?: string;
  readonly text?: string;
  /** Package of the app that the element and its children belong to. */
  readonly package?: string;
  /** True if typed text goes to this element, where there are several fields. */
  readonly focused?: boolean;
  /** Children are only visible and only receive touches within the bounds. */
  readonly clip?: boolean;
  /** Draws within the bounds. */
  readonly draw?: (painter: Painter, state: { pressed: boolean }) => void;
  readonly onTap?: (at: Point) => void;
  readonly onLongPress?: (at: Point) => void;
  readonly drag?: Drag;
  /** Handles every touch that begins in this view, each pointer separately. */
  readonly onTouch?: (touch: Touch) => void;
  /** Later children are drawn above earlier ones. */
  readonly children?: readonly View[];
}

export function drawView(painter: Painter, view: View, pressedId: string | null): void {
  const reached = painter.reaches(view.bounds);
  if (reached) view.draw?.(painter, { pressed: pressedId !== null && view.id === pressedId });
  if (!view.children || (view.clip && !reached)) return;
  const drawChildren = () => {
    for (const child of view.children ?? []) drawView(painter, child, pressedId);
  };
  if (view.clip) painter.clipped(view.bounds, drawChildren);
  else drawChildren();
}

/** The views at a point, from the outermost to the topmost, or null if no view there accepts touches. */
export function hit(view: View, point: Point): View[] | null {
  const inside = contains(view.bounds, point);
  if (view.clip && !inside) return null;
  for (const child of [...(view.children ?? [])].reverse()) {
    const path = hit(child, point);
    if (path) return [view, ...path];
  }
  const takes = view.onTap ?? view.onLongPress ?? view.drag ?? view.onTouch;
  return inside && takes ? [view] : null;
}

/** The visible part of the view and its children, for `ui.tree`. */
export function toUiNode(view: View, screen: Size, visible: Rect = { x: 0, y: 0, ...screen }): UiNode | null {
  const bounds = intersection(view.bounds, visible);
  if (!bounds) return null;
  const within = view.clip ? bounds : visible;
  const children = (view.children ?? [])
    .map((child) => toUiNode(child, screen, within))
    .filter((node) => node !== null);
  return {
    role: view.role,
    ...(view.text !== undefined && { text: view.text }),
    ...(view.id !== undefined && { id: view.id }),
    ...(view.package !== undefined && { package: view.package }),
    ...((view.onTap ?? view.onLongPress) && { clickable: true }),
    ...(view.focused && { focused: true }),
    ...(view.drag?.wheel && { scrollable: true }),
    bounds: {
      x: bounds.x / screen.width,
      y: bounds.y / screen.height,
      width: bounds.width / screen.width,
      height: bounds.height / screen.height,
    },
    ...(children.length > 0 && { children }),
  };
}
