import { expect, test } from 'vitest';
import type { Artifact } from '../../contract/http/artifact.ts';
import type { RecordingEvent } from '../../contract/recording/recording-event.ts';
import { alignRotations, filterEntries, happeningsOf, readEvent } from './replay-entries.ts';

const EVENTS: RecordingEvent[] = [
  { t: 0, type: 'started', at: '2026-01-01T00:00:00.000Z', session_id: 'one' },
  { t: 100, type: 'touch', pointer: 0, action: 'down', x: 0.5, y: 0.5 },
  { t: 150, type: 'touch', pointer: 0, action: 'up', x: 0.5, y: 0.5 },
  { t: 200, type: 'input', kind: 'key', detail: 'A' },
  { t: 700, type: 'input', kind: 'key', detail: 'B' },
  { t: 3_000, type: 'input', kind: 'key' },
  // Commands are written when they end, and have the time at which they began.
  { t: 5_000, type: 'mark', label: 'checkout' },
  { t: 4_000, type: 'command', method: 'app.launch', params: { package: 'a.b' }, by: 'api', ms: 1_500 },
  { t: 6_000, type: 'webdriver', name: 'findElement', ms: 12, error: 'no such element' },
  { t: 7_000, type: 'rotation', width: 1170, height: 540 },
  { t: 8_000, type: 'takeover', by: null },
  { t: 9_000, type: 'screenshot', name: 'screenshot-1.png' },
  { t: 10_000, type: 'stopped', reason: 'The disk of the host is full.' },
];

test('lists what happened in the order of time, with taps and typing grouped', () => {
  const { entries, strokes, end } = happeningsOf(EVENTS);
  expect(strokes).toHaveLength(1);
  expect(end).toBe(10_000);
  expect(entries.map(({ t, kind, title, detail, error }) => [t, kind, title, detail, error])).toEqual([
    [0, 'control', 'Recording started', '', null],
    [100, 'input', 'Tap', '', null],
    [200, 'input', 'Key, 2 times', 'A, B', null],
    [3_000, 'input', 'Key', '', null],
    [4_000, 'command', 'app.launch', '{"package":"a.b"} · 1.5 s · from a request to the API', null],
    [5_000, 'mark', 'checkout', '', null],
    [6_000, 'webdriver', 'findElement', '12 ms', 'no such element'],
    [7_000, 'screen', 'Rotation', '1170 × 540', null],
    [8_000, 'control', 'A client took control', '', null],
    [9_000, 'screen', 'Screenshot', '', null],
    [10_000, 'control', 'Recording ended', '', 'The disk of the host is full.'],
  ]);
});

test('draws gestures that were sent as commands, unless they failed', () => {
  const swipe = { type: 'command', method: 'swipe', by: 'controller', ms: 300 } as const;
  const params = { x1: 0.5, y1: 0.8, x2: 0.5, y2: 0.2, ms: 300 };
  const { strokes, entries } = happeningsOf([
    ...EVENTS,
    { t: 50, ...swipe, params },
    { t: 60, ...swipe, params, error: 'The phone is locked.' },
  ]);
  expect(strokes.map(({ t }) => t)).toEqual([50, 100]);
  expect(entries.filter(({ t }) => t > 0 && t <= 100).map(({ title }) => title)).toEqual([
    'swipe',
    'swipe',
    'Tap',
  ]);
});

test('moves a rotation to the first frame in the new orientation', () => {
  const { entries } = happeningsOf(EVENTS);
  const timesWith = (start: number) => {
    const clips = [0, start].map((at) => ({ artifact: {} as Artifact, start: at, end: at + 1_000 }));
    const aligned = alignRotations(entries, { clips, gaps: [], duration: 0 });
    return aligned.slice(7, 10).map(({ title, t }) => `${title} ${t}`);
  };
  expect(timesWith(7_090)).toEqual(['Rotation 7090', 'A client took control 8000', 'Screenshot 9000']);
  expect(timesWith(8_500)).toEqual(['A client took control 8000', 'Rotation 8500', 'Screenshot 9000']);
  expect(timesWith(11_000)).toEqual(['Rotation 7000', 'A client took control 8000', 'Screenshot 9000']);
});

test('filters by text and kind', () => {
  const { entries } = happeningsOf(EVENTS);
  const titles = (filter: Partial<Parameters<typeof filterEntries>[1]>) =>
    filterEntries(entries, { text: '', kind: '', ...filter }).map(({ title }) => title);
  expect(filterEntries(entries, { text: ' ', kind: '' })).toBe(entries);
  expect(titles({ text: 'SUCH element' })).toEqual(['findElement']);
  expect(titles({ kind: 'error' })).toEqual(['findElement', 'Recording ended']);
  expect(titles({ kind: 'input', text: 'a, b' })).toEqual(['Key, 2 times']);
});

test('ignores lines that are not known events', () => {
  expect(EVENTS.map(readEvent)).toEqual(EVENTS);
  for (const value of [
    null,
    7,
    [],
    { type: 'mark', label: 'no time' },
    { t: -1, type: 'mark', label: 'x' },
    { t: 1, type: 'constructor' },
    { t: 1, type: 'later', label: 'x' },
    { t: 1, type: 'mark' },
    { t: 1, type: 'command', method: 'x', params: null, ms: 1 },
  ]) {
    expect(readEvent(value)).toBe(null);
  }
});

test('shortens long texts', () => {
  const [entry] = happeningsOf([{ t: 0, type: 'mark', label: 'x'.repeat(1_000) }]).entries;
  expect(entry?.title).toHaveLength(301);
});
