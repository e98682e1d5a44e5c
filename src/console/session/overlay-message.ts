import { texts } from '../texts.ts';
import type { ScreenPhase } from './video/screen-state.ts';

const text = texts.session;

export interface OverlayMessage {
  title: string;
  detail?: string;
  /** Whether this is a temporary state that is in progress. */
  busy: boolean;
  /** Whether the message has a button that reloads the page. */
  reload?: boolean;
}

/**
 * Returns the message over the phone's video, or null while the video is live. Live video takes precedence
 * over `starting`, because the session's row may say that the phone is starting for some time after it is usable.
 * `silent`: the connection for commands does not respond, so the video is probably outdated too.
 */
export function overlayMessage(
  phase: ScreenPhase,
  { starting = false, silent = false }: { starting?: boolean; silent?: boolean } = {},
): OverlayMessage | null {
  switch (phase) {
    case 'live':
      return silent ? { title: text.silent, detail: text.reconnectingDetail, busy: true } : null;
    case 'connecting':
      return starting
        ? { title: text.starting, detail: text.startingDetail, busy: true }
        : { title: text.waitingForVideo, busy: true };
    case 'reconnecting':
      return { title: text.reconnecting, detail: text.reconnectingDetail, busy: true };
    case 'paused':
      return { title: text.paused, busy: false };
    case 'ended':
      return { title: text.over, busy: false };
    case 'unsupported':
      return { title: text.noDecoder, busy: false };
    case 'not-loaded':
      return {
        title: texts.errors.notLoadedTitle,
        detail: texts.errors.notLoaded,
        busy: false,
        reload: true,
      };
  }
}
