import { texts } from '../texts.ts';
import type { ScreenPhase } from './picture/screen-player.ts';

const text = texts.session;

export interface OverlayMessage {
  title: string;
  detail?: string;
  /** Something is under way, and it will pass. */
  busy: boolean;
}

/**
 * What stands over the phone's picture; null while the picture is live, whatever else is known: the rows may say that
 * the phone starts for some time after it is there to be used.
 */
export function overlayMessage(phase: ScreenPhase, starting: boolean): OverlayMessage | null {
  switch (phase) {
    case 'live':
      return null;
    case 'connecting':
      return starting
        ? { title: text.starting, detail: text.startingDetail, busy: true }
        : { title: text.connectingPicture, busy: true };
    case 'reconnecting':
      return { title: text.reconnecting, detail: text.reconnectingDetail, busy: true };
    case 'paused':
      return { title: text.paused, busy: false };
    case 'ended':
      return { title: text.over, busy: false };
    case 'unsupported':
      return { title: text.noDecoder, busy: false };
  }
}
