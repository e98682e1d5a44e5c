/** That a phone, a session, or what an account sees changed; what it is now stands in its row. */
export interface LoggedEvent {
  kind: 'device' | 'session' | 'sight';
  /** Empty for `sight`: the account sees other phones than before. */
  id: string;
  /** Whom it concerns; null: everybody who sees the group. */
  accountId: string | null;
  /** Of a phone: the group that it was in, or has left; null: everybody sees it. */
  groupId: string | null;
}

export interface EventPage {
  /** Each thing once, however often it changed. */
  events: LoggedEvent[];
  /** Where to go on reading. */
  cursor: string;
  /** There is more behind the cursor. */
  more: boolean;
  /** The cursor that was given is none, is ahead of the log, or lies before its beginning: events may be missed. */
  reset: boolean;
}

/** The log of what changed, kept by the engine itself whoever changes a row, and bounded. */
export interface EventLog {
  /**
   * What changed behind a cursor, at most `limit` changes; null: nothing, and the cursor of now. Nothing that is
   * committed is passed over, however late; what is told twice is the same.
   */
  readEvents(after: string | null, limit: number): Promise<EventPage>;
  /** Removes what is too old or too much, the oldest first, at most `limit`; answers how many. */
  trimEvents(bounds: { maxAgeMs: number; maxCount: number; limit: number }): Promise<number>;
}
