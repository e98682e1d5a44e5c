import { expect, test } from 'vitest';
import type { Artifact } from '../../contract/http/artifact.ts';
import { type ClipVideo, Playback } from './playback.ts';
import { timelineOf } from './timeline.ts';

const video = (name: string, offset: number, duration: number) =>
  ({ id: name, kind: 'video', name, offset_ms: offset, duration_ms: duration }) as Artifact;

/** Two videos with a gap of 4 s between them, and an event 2 s after the last one. */
const TIMELINE = timelineOf([video('one', 0, 2_000), video('two', 6_000, 3_000)], 11_000);

class FakeVideo implements ClipVideo {
  currentTime = 0;
  playbackRate = 1;
  paused = true;
  seeking = false;
  ended = false;
  readyState = 4;
  async play() {
    this.paused = false;
  }
  pause() {
    this.paused = true;
  }
}

function rig() {
  let next: ((now: number) => void) | null = null;
  let now = 0;
  const playback = new Playback({
    request: (run) => {
      next = run;
      return 1;
    },
    cancel: () => {
      next = null;
    },
  });
  const videos = [new FakeVideo(), new FakeVideo()] as const;
  playback.use(TIMELINE);
  for (const [index, clip] of TIMELINE.clips.entries()) playback.attach(clip, videos[index]!);
  /** Runs display frames for this time, in which videos that play progress. */
  const pass = (ms: number, stepMs = 50) => {
    for (let passed = 0; passed < ms && next; passed += stepMs) {
      now += stepMs;
      for (const one of videos) {
        const length = one === videos[0] ? 2 : 3;
        if (!one.paused)
          one.currentTime = Math.min(length, one.currentTime + (stepMs / 1000) * one.playbackRate);
        one.ended = one.currentTime === length;
      }
      const run = next;
      next = null;
      run(now);
    }
  };
  return { playback, videos, pass, isIdle: () => next === null };
}

test('plays the videos and the time between them, and stops at the end', () => {
  const { playback, videos, pass, isIdle } = rig();
  pass(200);
  expect(isIdle()).toBe(true);
  playback.play();
  pass(1_000);
  expect(playback.position()).toBeGreaterThan(800);
  expect(playback.state()).toMatchObject({ isPlaying: true, clip: 0 });
  pass(2_000);
  expect(playback.state().clip).toBe(-1);
  expect(videos[0].paused).toBe(true);
  pass(4_000);
  expect(playback.state().clip).toBe(1);
  expect(videos[1].paused).toBe(false);
  pass(10_000);
  expect(playback.position()).toBe(11_000);
  expect(playback.state().isPlaying).toBe(false);
  expect(videos[1].paused).toBe(true);
  expect(isIdle()).toBe(true);
  playback.play();
  pass(500);
  expect(playback.position()).toBeLessThan(1_000);
  expect(playback.state()).toMatchObject({ isPlaying: true, clip: 0 });
});

test('seeks in the video of the time, and keeps the speed there', () => {
  const { playback, videos, pass } = rig();
  playback.setSpeed(2);
  playback.play();
  playback.seek(7_500);
  pass(50);
  expect(videos[1].currentTime).toBe(1.5);
  pass(500);
  expect(videos[1].playbackRate).toBe(2);
  expect(playback.position()).toBeGreaterThan(8_000);
  playback.pause();
  pass(100);
  expect(videos[1].paused).toBe(true);
  playback.seek(99_999);
  expect(playback.position()).toBe(11_000);
  playback.seek(Number.NaN);
  expect(playback.position()).toBe(0);
});

test('shows the last frame until the end of the video, although the browser has ended the video', () => {
  const { playback, videos, pass } = rig();
  playback.seek(6_500);
  pass(200);
  Object.defineProperty(videos[1], 'ended', { value: true });
  playback.play();
  pass(1_000);
  expect(playback.state()).toMatchObject({ isPlaying: true, clip: 1 });
  expect(playback.position()).toBeGreaterThan(7_000);
  expect(playback.position()).toBeLessThan(8_000);
  pass(2_500);
  expect(playback.state().clip).toBe(-1);
  expect(playback.position()).toBeLessThan(11_000);
});

test('steps by frames and pauses', () => {
  const { playback, videos, pass } = rig();
  playback.play();
  pass(500);
  const before = playback.position();
  playback.step(1);
  pass(100);
  expect(playback.position()).toBeCloseTo(before + 1000 / 30, 3);
  expect(videos[0].currentTime).toBeCloseTo(playback.position() / 1000, 3);
  expect(playback.state().isPlaying).toBe(false);
});

test('continues a seek when the video has loaded, and passes a video that fails', () => {
  const { playback, videos, pass, isIdle } = rig();
  pass(100);
  videos[1].readyState = 0;
  playback.seek(7_000);
  pass(100);
  expect(isIdle()).toBe(true);
  videos[1].readyState = 4;
  playback.wake();
  pass(100);
  expect(videos[1].currentTime).toBe(1);
  playback.fail(TIMELINE.clips[1]!);
  videos[1].readyState = 0;
  playback.play();
  pass(2_500);
  expect(playback.position()).toBeGreaterThan(9_000);
  expect(playback.state().clip).toBe(-1);
});
