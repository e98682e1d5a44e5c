import type { Artifact } from '../../contract/http/artifact.ts';

/** A video with its place on the common timeline, in milliseconds. */
export interface Clip {
  artifact: Artifact;
  start: number;
  end: number;
}

/** A period of the timeline without video. */
export interface Gap {
  start: number;
  end: number;
}

export interface Timeline {
  /** In the order of time. They do not overlap. */
  clips: readonly Clip[];
  /** Only those that are long enough to be noticed. */
  gaps: readonly Gap[];
  duration: number;
}

/** Time between two videos that is not shown as a gap: a phone takes this long to rotate. */
const UNNOTICED_GAP_MS = 1_500;

/**
 * Places the videos of a recording, one per orientation, on their common timeline.
 * @param lastEvent time of the last event of the recording, which may be later than the last frame
 */
export function timelineOf(artifacts: readonly Artifact[], lastEvent = 0): Timeline {
  const videos = artifacts
    .filter(({ kind }) => kind === 'video')
    .sort((a, b) => a.offset_ms - b.offset_ms || a.name.localeCompare(b.name, 'en', { numeric: true }));
  const clips = videos.flatMap((artifact, index): Clip[] => {
    const start = artifact.offset_ms;
    const next = videos[index + 1]?.offset_ms ?? Number.POSITIVE_INFINITY;
    const end = Math.min(start + (artifact.duration_ms ?? 0), next);
    return end > start ? [{ artifact, start, end }] : [];
  });
  const others = artifacts.map(({ offset_ms, duration_ms }) => offset_ms + (duration_ms ?? 0));
  const duration = [...others, lastEvent].reduce((most, end) => Math.max(most, end), 0);
  return { clips, gaps: gapsBetween(clips, duration), duration };
}

function gapsBetween(clips: readonly Clip[], duration: number): Gap[] {
  const starts = [...clips.map(({ start }) => start), duration];
  const ends = [0, ...clips.map(({ end }) => end)];
  return starts
    .map((end, index) => ({ start: ends[index] ?? 0, end }))
    .filter(({ start, end }) => end - start > UNNOTICED_GAP_MS);
}

/** The index of the clip that is shown at a time, or -1 if there is no video then. */
export const clipAt = ({ clips, duration }: Timeline, time: number): number =>
  // The last frame stays when the recording has ended.
  clips.findIndex(({ start, end }) => time >= start && (time < end || (time === end && end === duration)));

/** The index of the first clip that begins later, or -1. */
export const clipAfter = ({ clips }: Timeline, time: number): number =>
  clips.findIndex(({ start }) => start > time);

/** The index of the clip whose last frame is the latest one before a time, or -1. */
export const clipBefore = ({ clips }: Timeline, time: number): number =>
  clips.findLastIndex(({ start }) => start <= time);

/** The gap at a time, unless it is too short to be noticed. */
export const gapAt = ({ gaps }: Timeline, time: number): Gap | null =>
  gaps.find(({ start, end }) => time >= start && time < end) ?? null;

/**
 * The index of the last item that is not later than a time, or -1 if all are later. The items are in the order of
 * time.
 */
export function indexAt(items: readonly { t: number }[], time: number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((items[middle]?.t ?? Number.POSITIVE_INFINITY) <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

const two = (value: number) => String(value).padStart(2, '0');

/** Formats a time of the timeline: `0:09`, `12:04`, `1:02:05`. It rounds down. */
export function formatPosition(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}
