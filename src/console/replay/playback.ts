import { type Clip, clipAfter, clipAt, clipBefore, type Timeline } from './timeline.ts';

export const SPEEDS = [0.5, 1, 1.5, 2, 4] as const;
/** Duration of a frame of a video with 30 frames per second. Recorded frames have no fixed rate. */
const FRAME_MS = 1000 / 30;

/** The part of a video element that the playback uses. */
export type ClipVideo = Pick<
  HTMLVideoElement,
  'currentTime' | 'playbackRate' | 'paused' | 'seeking' | 'ended' | 'readyState' | 'play' | 'pause'
>;

/** What changes rarely, unlike the position. */
export interface PlaybackState {
  isPlaying: boolean;
  speed: number;
  /** Index of the clip that is shown, or -1 in a gap. */
  clip: number;
}

/** Next display frame. The tests use their own. */
export interface Frames {
  request(run: (now: number) => void): number;
  cancel(id: number): void;
}

const browserFrames: Frames = {
  request: (run) => requestAnimationFrame(run),
  cancel: (id) => cancelAnimationFrame(id),
};

/**
 * Plays the videos of a recording one after the other on their common timeline. In a video, its own clock counts. In a
 * gap, the time passes by itself.
 */
export class Playback {
  readonly #listeners = new Set<() => void>();
  readonly #videos = new Map<string, ClipVideo>();
  readonly #failed = new Set<string>();
  readonly #frames: Frames;
  #timeline: Timeline = { clips: [], gaps: [], duration: 0 };
  #position = 0;
  #state: PlaybackState = { isPlaying: false, speed: 1, clip: -1 };
  /** Time within the clip to seek to as soon as the video is ready, in seconds. */
  #target: number | null = null;
  #frame: number | null = null;
  #before: number | null = null;

  constructor(frames = browserFrames) {
    this.#frames = frames;
  }

  readonly position = (): number => this.#position;
  readonly state = (): PlaybackState => this.#state;

  /** Calls the listener when the position or the state has changed. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Replaces the timeline, for example when its last event is known. The position stays. */
  use(timeline: Timeline): void {
    this.#timeline = timeline;
    this.seek(this.#position);
  }

  /** The element of a clip; null: it was removed. */
  attach({ artifact: { id } }: Clip, video: ClipVideo | null): void {
    if (video) this.#videos.set(id, video);
    else this.#videos.delete(id);
    this.#failed.delete(id);
    if (video && this.#clip()?.artifact.id === id) this.seek(this.#position);
  }

  /** The video of a clip cannot be played, so its time passes as in a gap. */
  fail({ artifact: { id } }: Clip): void {
    this.#failed.add(id);
  }

  /** Continues when the element has loaded what it needs, or has finished a seek. */
  readonly wake = (): void => this.#run();

  seek(time: number): void {
    this.#position = Math.min(this.#timeline.duration, Math.max(0, Number.isFinite(time) ? time : 0));
    this.#enter(clipAt(this.#timeline, this.#position));
    const clip = this.#clip();
    this.#target = clip ? (this.#position - clip.start) / 1000 : null;
    if (!clip) this.#holdLastFrame();
    this.#run();
    this.#changed();
  }

  /** Plays. At the end of the recording, from its start. */
  play(): void {
    if (this.#position >= this.#timeline.duration) this.seek(0);
    this.#set({ isPlaying: true });
    this.#run();
  }

  pause(): void {
    this.#set({ isPlaying: false });
    this.#run();
  }

  readonly toggle = (): void => (this.#state.isPlaying ? this.pause() : this.play());

  setSpeed(speed: number): void {
    this.#set({ speed });
    this.#run();
  }

  /** Pauses, and shows the next or the previous frame. */
  step(frames: number): void {
    this.pause();
    this.seek(this.#position + frames * FRAME_MS);
  }

  close(): void {
    if (this.#frame !== null) this.#frames.cancel(this.#frame);
    this.#frame = null;
    for (const video of this.#videos.values()) video.pause();
  }

  /** In a gap, the last frame before it stays. */
  #holdLastFrame(): void {
    const clip = this.#timeline.clips[clipBefore(this.#timeline, this.#position)];
    const video = clip && this.#videos.get(clip.artifact.id);
    if (!video || video.readyState < 1) return;
    const end = (clip.end - clip.start - 1) / 1000;
    if (video.currentTime < end) video.currentTime = end;
  }

  #clip(): Clip | undefined {
    return this.#timeline.clips[this.#state.clip];
  }

  #video(): ClipVideo | undefined {
    const clip = this.#clip();
    return clip && this.#videos.get(clip.artifact.id);
  }

  #enter(clip: number): void {
    if (clip === this.#state.clip) return;
    this.#video()?.pause();
    this.#target = null;
    this.#set({ clip });
  }

  #set(change: Partial<PlaybackState>): void {
    this.#state = { ...this.#state, ...change };
    this.#changed();
  }

  #move(position: number): void {
    this.#position = position;
    this.#changed();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Keeps the frames coming while something moves. */
  #run(): void {
    if (this.#frame !== null) return;
    this.#before = null;
    const tick = (now: number) => {
      this.#frame = null;
      const passed = this.#before === null ? 0 : now - this.#before;
      this.#before = now;
      this.#tick(passed);
      const isSeeking = this.#target !== null && (this.#video()?.readyState ?? 0) > 0;
      if (this.#state.isPlaying || isSeeking) this.#frame ??= this.#frames.request(tick);
    };
    this.#frame = this.#frames.request(tick);
  }

  #tick(passed: number): void {
    const clip = this.#clip();
    if (!clip || this.#failed.has(clip.artifact.id)) this.#pass(passed, clip?.end);
    else this.#follow(clip, passed);
  }

  /** Takes the position from the clock of the video, or seeks in it. */
  #follow(clip: Clip, passed: number): void {
    const video = this.#video();
    // Not loaded yet: HAVE_METADATA is the least for a seek.
    if (!video || video.readyState < 1) return;
    if (this.#target !== null) {
      if (video.seeking) return;
      if (Math.abs(video.currentTime - this.#target) > 0.001) video.currentTime = this.#target;
      this.#target = null;
      this.#drive(video);
      return;
    }
    this.#drive(video);
    if (!this.#state.isPlaying || video.seeking) return;
    const at = clip.start + video.currentTime * 1000;
    // Chromium may end a video as soon as it shows the last frame, also if that frame stays for many seconds.
    if (video.ended) this.#pass(passed, clip.end);
    else if (at >= clip.end) this.#arrive(clip.end);
    else this.#move(at);
  }

  #drive(video: ClipVideo): void {
    const { isPlaying, speed } = this.#state;
    if (video.playbackRate !== speed) video.playbackRate = speed;
    if (!isPlaying) {
      if (!video.paused) video.pause();
    } else if (video.paused && !video.ended) {
      // The browser may refuse to play, for example because the page was closed meanwhile.
      video.play().catch(() => {});
    }
  }

  /** Time passes without a video, until the given time or the next clip. */
  #pass(passed: number, until?: number): void {
    if (!this.#state.isPlaying) return;
    const next = this.#timeline.clips[clipAfter(this.#timeline, this.#position)]?.start;
    const end = until ?? next ?? this.#timeline.duration;
    const at = this.#position + passed * this.#state.speed;
    if (at >= end) this.#arrive(end);
    else this.#move(at);
  }

  /** Continues after the end of a clip or of a gap. */
  #arrive(time: number): void {
    if (time >= this.#timeline.duration) {
      this.#position = this.#timeline.duration;
      this.#video()?.pause();
      this.#set({ isPlaying: false });
      return;
    }
    this.seek(time);
  }
}
