/**
 * A device, a session, or the set of devices visible to an account changed. The event does not contain the new state,
 * which is in the row.
 */
export interface LoggedEvent {
  kind: 'device' | 'session' | 'visibility';
  /** Empty for `visibility`, which means that the set of devices visible to the account changed. */
  id: string;
  /** The account that the event concerns; null: all accounts to which the group is visible. */
  accountId: string | null;
  /** For a device: the group that it is in, or has left; null: it is visible to every account. */
  groupId: string | null;
}

export interface EventPage {
  /** Without duplicates, however often something changed. */
  events: LoggedEvent[];
  /** The position from which to continue. */
  cursor: string;
  /** More events follow the cursor. */
  more: boolean;
  /**
   * The given cursor is invalid, is ahead of the log, or precedes its start, so events may have been missed.
   */
  reset: boolean;
}

/**
 * The log of changes. The database maintains it with triggers for every change of a row; its size is bounded.
 */
export interface EventLog {
  /**
   * Returns at most `limit` events after the cursor; with `after` null, no events and the current cursor. No
   * committed event is skipped, however late it commits. An event may be returned twice, with the same content.
   */
  readEvents(after: string | null, limit: number): Promise<EventPage>;
  /**
   * Deletes at most `limit` events that exceed the age or count limit, oldest first; returns how many it deleted.
   */
  trimEvents(bounds: { maxAgeMs: number; maxCount: number; limit: number }): Promise<number>;
}
