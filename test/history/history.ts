import type { Session, Usage } from '../black-box/kit/api.ts';

export type Request =
  | { do: 'connect'; deviceId: string; minutes: number; key: string }
  | { do: 'extend'; sessionId: string; minutes: number }
  | { do: 'disconnect' | 'read'; sessionId: string }
  | { do: 'usage' };

/** One request to one process, and what it answered. Times are of one monotonic clock, in milliseconds. */
export interface Operation {
  account: string;
  process: string;
  request: Request;
  calledAt: number;
  /** null: none came. What was asked for may have happened, or not. */
  answer: { at: number; code: number; data: unknown } | null;
}

/** One account as it stands when nothing is under way any more. */
export interface FinalAccount {
  name: string;
  limits: { minutes: number | null; sessions: number | null };
  usage: Usage;
  sessions: Session[];
}

/** All that was asked and answered of a deployment, and what it holds in the end. Within one calendar month (UTC). */
export interface History {
  operations: Operation[];
  accounts: FinalAccount[];
}

/** What one answer said of a session. `session` null: only that it is over. */
export interface Sighting {
  operation: Operation;
  at: number;
  session: Session | null;
}

/** What the answers tell of one session, and its row in the end. */
export interface Story {
  account: string;
  row: Session;
  sightings: Sighting[];
  /** Minutes that it was connected for, before any extension. */
  baseMinutes: number;
  extensions: { minutes: number; answeredAt: number | null }[];
  /** Within this time it was live, whatever the rows say; null: that is not known of any moment. */
  held: { from: number; until: number } | null;
  /** Someone asked to disconnect it. */
  wasReleased: boolean;
}

export function describe({ account, process, request, calledAt, answer }: Operation): string {
  const { do: what, ...asked } = request;
  const answered = answer ? `${answer.code} ${JSON.stringify(answer.data)} at ${answer.at}` : 'nothing';
  return `${account} asked ${process} at ${calledAt} to ${what} ${JSON.stringify(asked)}: ${answered}`;
}
