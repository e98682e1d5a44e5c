import { CLOSE } from '../../../contract/sockets/close-codes.ts';
import { texts } from '../../texts.ts';

const text = texts.watch;

const SENTENCES = new Map<number | null, string>([
  [CLOSE.ended, text.ended.client],
  [CLOSE.expired, text.ended.expired],
  [CLOSE.idle, text.ended.idle],
  [CLOSE.released, text.ended.takenBack],
  [CLOSE.deviceLost, text.ended.deviceLost],
  [CLOSE.couldNotStart, text.ended.couldNotStart],
]);

/** Returns why a session ended, by the close code of its stream, which is all that a viewer receives. */
export const endSentence = (code: number | null): string =>
  `${SENTENCES.get(code) ?? ''} ${text.endedUnknown}`.trim();
