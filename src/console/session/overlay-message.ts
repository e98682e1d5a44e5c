import { texts } from '../texts.ts';
import type { ScreenPhase } from './picture/screen-player.ts';

const text = texts.session;

/**
 * What stands over the phone's picture; null while the picture is live, whatever else is known: the rows may say that
 * the phone starts for some time after it is there to be used.
 */
export function overlayMessage(
  phase: ScreenPhase,
  starting: boolean,
): { title: string; detail?: string } | null {
  if (phase === 'unsupported') return { title: text.noDecoder };
  if (phase === 'connecting' && starting) return { title: text.starting, detail: text.startingDetail };
  if (phase === 'connecting') return { title: text.connectingPicture };
  if (phase === 'reconnecting') return { title: text.reconnecting, detail: text.reconnectingDetail };
  return null;
}
