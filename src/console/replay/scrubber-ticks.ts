import { replayTexts as text } from '../texts/replay.ts';
import type { ReplayEntry } from './replay-entries.ts';

export const TICK_KINDS = ['rotation', 'screenshot', 'app', 'control', 'mark', 'error'] as const;
export type TickKind = (typeof TICK_KINDS)[number];

/** A point of the timeline with something to find. */
export interface Tick {
  t: number;
  kind: TickKind;
  label: string;
}

/** The points of the timeline: what is rare, and what failed. */
export const ticksOf = (entries: readonly ReplayEntry[]): Tick[] =>
  entries.flatMap((entry) => {
    const kind = tickKindOf(entry);
    return kind === null ? [] : [{ t: entry.t, kind, label: labelOf(entry) }];
  });

function tickKindOf({ kind, error, isRotation, screenshot }: ReplayEntry): TickKind | null {
  if (error !== null) return 'error';
  if (isRotation) return 'rotation';
  if (screenshot !== undefined) return 'screenshot';
  return kind === 'mark' || kind === 'app' || kind === 'control' ? kind : null;
}

const labelOf = ({ kind, title, detail, error }: ReplayEntry) => {
  const name = kind === 'mark' || kind === 'webdriver' ? `${text.kindOf[kind]}: ${title}` : title;
  return [name, error ?? (kind === 'screen' ? detail : '')].filter(Boolean).join(' · ');
};

/** Number of places on the timeline, which also bounds the size of a path. */
export const PLACES = 1000;

/** A path of vertical lines from `top` to `bottom`, one for each place of the timeline that has any of the times. */
export function pathOf(times: readonly number[], duration: number, [top, bottom]: [number, number]): string {
  const places = new Set(times.map((time) => Math.round((time / Math.max(1, duration)) * PLACES)));
  return [...places].map((place) => `M${place} ${top}V${bottom}`).join('');
}

/** The ticks within a distance of a time, nearest first. At most `most`, one of each label. */
export function ticksNear(ticks: readonly Tick[], time: number, distance: number, most: number): Tick[] {
  const near = ticks
    .filter(({ t }) => Math.abs(t - time) <= distance)
    .sort((a, b) => Math.abs(a.t - time) - Math.abs(b.t - time));
  return near
    .filter(({ label }, index) => near.findIndex((one) => one.label === label) === index)
    .slice(0, most);
}
