import { useEffect, useState, useSyncExternalStore } from 'react';
import { Playback, type PlaybackState } from './playback.ts';
import type { Timeline } from './timeline.ts';

export function usePlayback(timeline: Timeline): Playback {
  const [playback] = useState(() => new Playback());
  useEffect(() => playback.use(timeline), [playback, timeline]);
  useEffect(() => () => playback.close(), [playback]);
  return playback;
}

export const usePlaybackState = (playback: Playback): PlaybackState =>
  useSyncExternalStore(playback.subscribe, playback.state);

/** Returns what `read` makes of the position. The component is rendered again only when the result changes. */
export const usePosition = <T extends string | number | boolean | null>(
  playback: Playback,
  read: (position: number) => T,
): T => useSyncExternalStore(playback.subscribe, () => read(playback.position()));
