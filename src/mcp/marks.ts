import { MAX_MARK_LENGTH } from '../contract/recording/recording-event.ts';
import type { BorrowedPhones } from './borrowed-phones.ts';

/** A mark times out after this long. Its errors are ignored. */
const MARK_MS = 2_000;
/**
 * Names of the arguments that a mark contains, in addition to numbers and booleans. Texts, single keys and URLs may
 * contain secrets.
 */
const SHOWN = ['element', 'to_element', 'direction', 'orientation', 'app', 'app_id'];

/** Adds a mark with the name of the tool to the recording of the phone on which it acts, without delaying the tool. */
export function markCall(phones: BorrowedPhones, tool: string, args: Record<string, unknown>): void {
  const session = phones.find(args.phone as string | undefined)?.session;
  if (!session?.isRecorded || !session.capabilities.includes('recording.mark')) return;
  session.mark(labelOf(tool, args), { signal: AbortSignal.timeout(MARK_MS) }).catch(() => {});
}

export function labelOf(tool: string, args: Record<string, unknown>): string {
  const shown = Object.entries(args).filter(
    ([name, value]) => typeof value === 'number' || typeof value === 'boolean' || SHOWN.includes(name),
  );
  const words = shown.map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return [tool, ...words].join(' ').slice(0, MAX_MARK_LENGTH);
}
