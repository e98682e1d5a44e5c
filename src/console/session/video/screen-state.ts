/**
 * connecting: no frame has arrived yet. live: the displayed frame is current. reconnecting: the last frame is shown, but it may
 * be outdated. paused: the canvas is not visible, so the stream is not fetched. ended: the session is over.
 * unsupported: no decoder of this browser can decode the stream. not-loaded: the code of the decoder cannot be loaded.
 */
export type ScreenPhase =
  | 'connecting'
  | 'live'
  | 'reconnecting'
  | 'paused'
  | 'ended'
  | 'unsupported'
  | 'not-loaded';

/** Phases that a player does not leave. */
export const FINAL_PHASES: readonly ScreenPhase[] = ['ended', 'unsupported', 'not-loaded'];

export interface ScreenState {
  phase: ScreenPhase;
  /** Size in pixels of the phone, or null before the first packet. */
  size: { width: number; height: number } | null;
  /**
   * Time by `performance.now()` until which the displayed frame was current. Null while it is current, and before the first
   * frame.
   */
  liveUntil: number | null;
  /** Number of consecutive connections that delivered no packet. */
  failures: number;
  /** Close code of the stream at the end of the session. */
  endCode: number | null;
}

export const FIRST_STATE: ScreenState = {
  phase: 'connecting',
  size: null,
  liveUntil: null,
  failures: 0,
  endCode: null,
};
