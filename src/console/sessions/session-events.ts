import type { Session } from '../../contract/http/session.ts';
import { formatLength } from '../session/time-left.ts';
import { sessionHistoryTexts as text } from '../texts/session-history.ts';

/** A step in the life of a session. */
export interface SessionStep {
  title: string;
  at: string;
  detail: string | null;
}

/** What happened to a session, in order. */
export function sessionSteps(session: Session): SessionStep[] {
  const { created_at, connected_at, ended_at, end_reason, end_detail, expires_at } = session;
  const steps: SessionStep[] = [{ title: text.requested, at: created_at, detail: null }];
  if (connected_at) {
    steps.push({
      title: text.ready,
      at: connected_at,
      detail: text.after(between(created_at, connected_at)),
    });
  }
  if (ended_at) {
    const reason = end_reason && text.reasons[end_reason];
    const details = [reason, end_detail && `“${end_detail}”`].filter(Boolean);
    steps.push({
      title: connected_at ? text.ended : text.notStarted,
      at: ended_at,
      detail: details.join(' ') || null,
    });
  } else {
    steps.push({ title: text.ends, at: expires_at, detail: null });
  }
  return steps;
}

const between = (from: string, to: string) => formatLength(Date.parse(to) - Date.parse(from));

/** How long a session has lasted until it ended, or until now, in milliseconds; null if it was never ready. */
export function lengthOf({ connected_at, ended_at }: Session, now: number): number | null {
  if (connected_at === null) return null;
  return Math.max(0, (ended_at === null ? now : Date.parse(ended_at)) - Date.parse(connected_at));
}
