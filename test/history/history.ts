import type { Session, Usage } from '../black-box/kit/api.ts';

export type Request =
  | { do: 'connect'; deviceId: string; minutes: number; key: string }
  | { do: 'extend'; sessionId: string; minutes: number }
  | { do: 'disconnect' | 'read'; sessionId: string }
  | { do: 'usage' };

/** A request to one process, and its response. All times are in milliseconds of the same monotonic clock. */
export interface Operation {
  account: string;
  process: string;
  request: Request;
  calledAt: number;
  /** null if no response arrived. The request may or may not have taken effect. */
  answer: { at: number; code: number; data: unknown } | null;
}

/** The final state of an account, when no requests are in progress. */
export interface FinalAccount {
  name: string;
  limits: { minutes: number | null; sessions: number | null };
  usage: Usage;
  sessions: Session[];
}

/**
 * All requests and responses of a run, and the final state of the deployment. A run stays within one calendar month
 * (UTC).
 */
export interface History {
  operations: Operation[];
  accounts: FinalAccount[];
}

/**
 * What one response contains about a session. `session` is null if the response only says that the session has ended.
 */
export interface Observation {
  operation: Operation;
  at: number;
  session: Session | null;
}

/** All that the responses contain about one session, and its final row. */
export interface SessionHistory {
  account: string;
  row: Session;
  observations: Observation[];
  /** Minutes for which it was created, before any extension. */
  baseMinutes: number;
  extensions: { minutes: number; answeredAt: number | null }[];
  /**
   * Interval in which the session was certainly live, independently of the rows. null if there is no such interval.
   */
  held: { from: number; until: number } | null;
  /** Whether a client requested to disconnect it. */
  wasReleased: boolean;
}

export function describe({ account, process, request, calledAt, answer }: Operation): string {
  const { do: what, ...asked } = request;
  const answered = answer ? `${answer.code} ${JSON.stringify(answer.data)} at ${answer.at}` : 'nothing';
  return `${account} asked ${process} at ${calledAt} to ${what} ${JSON.stringify(asked)}: ${answered}`;
}
