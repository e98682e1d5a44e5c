const ITEM = 'phonebooth.last-connect';

/** The choices of the last connect in this browser, which one click repeats. They are not secret. */
export interface LastConnect {
  minutes: number;
  app: { id: string; name: string } | null;
  /**
   * Whether to record the session. Missing: as the account's default says. Whether to record typed text is not repeated,
   * because one click does not show it.
   */
  record?: boolean;
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
  const { minutes, app, record } = stored as Partial<LastConnect>;
  if (!Number.isInteger(minutes) || (minutes ?? 0) < 1) return false;
  if (record !== undefined && typeof record !== 'boolean') return false;
  return app === null || (typeof app?.id === 'string' && typeof app.name === 'string');
}

/** The recording that the last connect chose, as fields of a request. */
export const recordingOf = (last: Pick<LastConnect, 'record'> | null): { record?: boolean } =>
  last?.record === undefined ? {} : { record: last.record };
