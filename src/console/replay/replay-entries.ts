import type { RecordingEvent } from '../../contract/recording/recording-event.ts';
import { replayTexts } from '../texts/replay.ts';
import type { Timeline } from './timeline.ts';
import { commandStroke, gestureOf, type Stroke, strokesOf, type TouchEvent } from './touch-strokes.ts';

const text = replayTexts.entries;

export const ENTRY_KINDS = ['command', 'webdriver', 'input', 'mark', 'app', 'control', 'screen'] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

/** Something that happened during the recording, as a line of the list. */
export interface ReplayEntry {
  t: number;
  kind: EntryKind;
  title: string;
  detail: string;
  /** Why it failed, or null. */
  error: string | null;
  /** File name of the screenshot that was taken. */
  screenshot?: string;
  /** Whether it is a rotation, which has its own mark on the timeline. */
  isRotation?: boolean;
}

/** Required fields of each event. Everything else is optional, and checked where it is used. */
const FIELDS: Record<RecordingEvent['type'], Record<string, 'string' | 'number' | 'object'>> = {
  started: {},
  touch: { pointer: 'number', action: 'string', x: 'number', y: 'number' },
  command: { method: 'string', params: 'object', ms: 'number' },
  input: { kind: 'string' },
  rotation: { width: 'number', height: 'number' },
  app: { status: 'string' },
  takeover: {},
  webdriver: { name: 'string', ms: 'number' },
  mark: { label: 'string' },
  screenshot: { name: 'string' },
  stopped: {},
};

/** Returns the event of a line, or null if it is not one that this version knows. */
export function readEvent(value: unknown): RecordingEvent | null {
  if (typeof value !== 'object' || value === null) return null;
  const line = value as Record<string, unknown>;
  const { t, type } = line;
  if (typeof t !== 'number' || !Number.isFinite(t) || t < 0) return null;
  if (typeof type !== 'string' || !Object.hasOwn(FIELDS, type)) return null;
  const fields = Object.entries(FIELDS[type as RecordingEvent['type']]);
  const isComplete = fields.every(([name, kind]) => typeof line[name] === kind && line[name] !== null);
  return isComplete ? (value as RecordingEvent) : null;
}

export interface Happenings {
  entries: readonly ReplayEntry[];
  strokes: readonly Stroke[];
  /** Time of the last event. */
  end: number;
}

/** Groups the events of a recording into the lines of the list, and into the paths of fingers. */
export function happeningsOf(events: readonly RecordingEvent[]): Happenings {
  const ordered = [...events].sort((a, b) => a.t - b.t);
  const touches = strokesOf(
    ordered.filter((event): event is TouchEvent & RecordingEvent => event.type === 'touch'),
  );
  // A gesture that is sent as a command already has the line of the command.
  const strokes = [...touches, ...ordered.flatMap(strokeOfCommand)].sort((a, b) => a.t - b.t);
  const entries = [...touches.map(strokeEntry), ...inputEntries(ordered), ...ordered.flatMap(entryOf)];
  // The sort is stable, so that events of the same time keep their order.
  return { entries: entries.sort((a, b) => a.t - b.t), strokes, end: ordered.at(-1)?.t ?? 0 };
}

/** A command that failed may not have touched the screen. */
const strokeOfCommand = (event: RecordingEvent): Stroke[] =>
  event.type === 'command' && event.error === undefined ? [commandStroke(event) ?? []].flat() : [];

/** A phone reports a rotation this long before its first frame in the new orientation, at most. */
const ROTATION_MS = 3_000;

/** Moves each rotation to the start of the video that it causes, so that choosing it shows the new orientation. */
export function alignRotations(entries: readonly ReplayEntry[], { clips }: Timeline): readonly ReplayEntry[] {
  const aligned = entries.map((entry) => {
    if (!entry.isRotation) return entry;
    const start = clips.find((clip) => clip.start >= entry.t)?.start ?? Number.POSITIVE_INFINITY;
    return start - entry.t <= ROTATION_MS ? { ...entry, t: start } : entry;
  });
  return aligned.sort((a, b) => a.t - b.t);
}

const strokeEntry = (stroke: Stroke): ReplayEntry => ({
  ...{ t: stroke.t, kind: 'input', title: text[gestureOf(stroke)], detail: '', error: null },
});

/** Keys that follow each other within this time are one line. */
const TYPING_PAUSE_MS = 1_000;

/** Joins what was typed or scrolled at one time, of which each key is an event. */
function inputEntries(events: readonly RecordingEvent[]): ReplayEntry[] {
  const groups: { kind: string; t: number; last: number; details: string[]; times: number }[] = [];
  for (const event of events) {
    if (event.type !== 'input') continue;
    const group = groups.at(-1);
    const detail = textOf(event.detail);
    if (group?.kind === event.kind && event.t - group.last <= TYPING_PAUSE_MS) {
      group.last = event.t;
      group.times += 1;
      if (detail) group.details.push(detail);
    } else {
      groups.push({ ...event, last: event.t, details: detail ? [detail] : [], times: 1 });
    }
  }
  return groups.map(({ kind, t, details, times }) => {
    const title = kind === 'key' || kind === 'text' || kind === 'scroll' ? text[kind] : text.other;
    return {
      t,
      kind: 'input',
      title: times > 1 ? text.times(title, times) : title,
      detail: short(details.join(kind === 'text' ? '' : ', ')),
      error: null,
    };
  });
}

/** The line of an event that is not part of a group. */
function entryOf(event: RecordingEvent): ReplayEntry[] {
  const { t } = event;
  const entry = (kind: EntryKind, title: string, detail = '', error: unknown = null): ReplayEntry[] => [
    { t, kind, title, detail: short(detail), error: textOf(error) },
  ];
  switch (event.type) {
    case 'touch':
    case 'input':
      return [];
    case 'started':
      return entry('control', text.started);
    case 'stopped':
      return entry('control', text.stopped, '', event.reason);
    case 'command':
      return entry('command', event.method, commandDetail(event), event.error);
    case 'webdriver':
      return entry('webdriver', event.name, text.took(event.ms), event.error);
    case 'rotation':
      return entry('screen', text.rotation, text.size(event.width, event.height)).map((one) => ({
        ...one,
        isRotation: true,
      }));
    case 'app':
      return entry('app', text.app[event.status] ?? text.appOther(event.status), '', event.error);
    case 'takeover':
      return entry('control', text.takeover(textOf(event.by)));
    case 'mark':
      return entry('mark', short(event.label));
    case 'screenshot':
      return entry('screen', text.screenshot).map((one) => ({ ...one, screenshot: event.name }));
  }
}

/** Four decimals are finer than a pixel of any screen. */
const rounded = (_name: string, value: unknown) =>
  typeof value === 'number' ? Math.round(value * 1e4) / 1e4 : value;

function commandDetail({ params, by, ms }: RecordingEvent & { type: 'command' }): string {
  const values = Object.keys(params).length > 0 ? JSON.stringify(params, rounded) : '';
  const origin = by === 'api' ? text.byApi : by === 'webdriver' ? text.byWebDriver : '';
  return [values, text.took(ms), origin].filter(Boolean).join(' · ');
}

/** Longest text that the list shows. The file has all of it. */
const MAX_SHOWN = 300;
const short = (value: string) => (value.length > MAX_SHOWN ? `${value.slice(0, MAX_SHOWN)}…` : value);

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? short(value) : null;

export interface EntryFilter {
  text: string;
  kind: EntryKind | 'error' | '';
}

export function filterEntries(entries: readonly ReplayEntry[], filter: EntryFilter): readonly ReplayEntry[] {
  const wanted = filter.text.trim().toLowerCase();
  if (wanted === '' && filter.kind === '') return entries;
  return entries.filter(({ kind, title, detail, error }) => {
    if (filter.kind === 'error' ? error === null : filter.kind !== '' && filter.kind !== kind) return false;
    return `${title} ${detail} ${error ?? ''}`.toLowerCase().includes(wanted);
  });
}
