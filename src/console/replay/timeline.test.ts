import { expect, test } from 'vitest';
import type { Artifact } from '../../contract/http/artifact.ts';
import { clipAfter, clipAt, clipBefore, formatPosition, gapAt, indexAt, timelineOf } from './timeline.ts';

const artifact = (name: string, offset: number, duration: number | null): Artifact => ({
  id: name,
  kind: name.startsWith('video') ? 'video' : 'screenshot',
  name,
  type: '',
  size: 1,
  offset_ms: offset,
  duration_ms: duration,
  width: 540,
  height: 1170,
  created_at: '',
  url: '',
});

test('orders the videos by their offset, and ends one where the next begins', () => {
  const timeline = timelineOf([
    artifact('video-2.mp4', 4_000, 6_000),
    artifact('video-1.mp4', 0, 4_100),
    artifact('video-3.mp4', 10_000, 0),
  ]);
  expect(timeline.clips.map(({ start, end }) => [start, end])).toEqual([
    [0, 4_000],
    [4_000, 10_000],
  ]);
  expect(timeline.duration).toBe(10_000);
  expect(timeline.gaps).toEqual([]);
  expect([0, 3_999, 4_000, 10_000].map((time) => clipAt(timeline, time))).toEqual([0, 0, 1, 1]);
});

test('finds the gaps before, between and after the videos, but not the time of a rotation', () => {
  const timeline = timelineOf(
    [
      artifact('video-1.mp4', 2_000, 3_000),
      artifact('video-2.mp4', 6_000, 1_000),
      artifact('video-3.mp4', 20_000, 5_000),
      artifact('screenshot-1.png', 26_000, null),
    ],
    30_000,
  );
  expect(timeline.gaps).toEqual([
    { start: 0, end: 2_000 },
    { start: 7_000, end: 20_000 },
    { start: 25_000, end: 30_000 },
  ]);
  expect(clipAt(timeline, 5_500)).toBe(-1);
  expect(gapAt(timeline, 5_500)).toBe(null);
  expect(gapAt(timeline, 7_000)).toEqual({ start: 7_000, end: 20_000 });
  expect([clipBefore(timeline, 8_000), clipAfter(timeline, 8_000)]).toEqual([1, 2]);
  expect([clipBefore(timeline, 500), clipAfter(timeline, 26_000)]).toEqual([-1, -1]);
});

test('is one gap when the recording has no video', () => {
  expect(timelineOf([], 5_000)).toEqual({ clips: [], gaps: [{ start: 0, end: 5_000 }], duration: 5_000 });
  expect(timelineOf([]).gaps).toEqual([]);
});

test('finds the last item that is not later', () => {
  const items = [0, 10, 10, 30].map((t) => ({ t }));
  expect([-1, 0, 9, 10, 29, 99].map((time) => indexAt(items, time))).toEqual([-1, 0, 0, 2, 2, 3]);
  expect(indexAt([], 5)).toBe(-1);
});

test('formats times', () => {
  expect([0, 9_999, 724_000, 3_725_000].map(formatPosition)).toEqual(['0:00', '0:09', '12:04', '1:02:05']);
});
