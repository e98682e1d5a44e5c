import type { RecordingChoice } from '../data/queries.ts';

const ITEM = 'phonebooth.last-connect';

/** The choices of the last connect in this browser, which one click repeats. They are not secret. */
export interface LastConnect {
  minutes: number;
  app: { id: string; name: string } | null;
  /** Missing: as the account's default says. */
  recording?: RecordingChoice;
}

export function lastConnect(): LastConnect | null {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(ITEM) ?? 'null');
    return isLastConnect(stored) ? stored : null;
  } catch {
    return null;
  }
}

export function storeLastConnect(last: LastConnect): void {
  localStorage.setItem(ITEM, JSON.stringify(last));
}

function isLastConnect(stored: unknown): stored is LastConnect {
  if (typeof stored !== 'object' || stored === null) return false;
  const { minutes, app, recording } = stored as Partial<LastConnect>;
  if (!Number.isInteger(minutes) || (minutes ?? 0) < 1) return false;
  if (recording !== undefined && !isRecordingChoice(recording)) return false;
  return app === null || (typeof app?.id === 'string' && typeof app.name === 'string');
}

function isRecordingChoice(stored: unknown): stored is RecordingChoice {
  if (typeof stored !== 'object' || stored === null) return false;
  const { record, record_text } = stored as RecordingChoice;
  return [record, record_text].every((choice) => choice === undefined || typeof choice === 'boolean');
}
