import type { BusRequests } from '../../bus/messages.ts';
import { type Announcers, type ApiContext, announce } from '../implement.ts';

type Report = BusRequests['control-plane.report'];

/** Takes a host's heartbeat in, and answers what the host should be doing by the rows. */
export async function takeReport(
  context: Pick<ApiContext, 'store' | 'steps' | 'hostsMustBeKnown'> & Announcers,
  report: Report['request'],
  hostId: string,
): Promise<Report['response']> {
  const { store, steps, hostsMustBeKnown } = context;
  const answer = await store.reportHost({ ...report, hostId, mustBeKnown: hostsMustBeKnown });
  if (!answer) throw new Error(`host ${hostId} was revoked, or never added (phonebooth hosts add)`);
  for (const session of answer.changed) {
    announce(context, session);
    const { id, connectedAt, createdAt, expiresAt, remainingMs } = session;
    // An app may have changed since; the store's now is when this report was taken.
    if (connectedAt !== null && connectedAt === expiresAt - remainingMs)
      steps.begin('session.connected', id, { startedMsAgo: connectedAt - createdAt }).end();
  }
  return { orders: answer.assignments, reportAll: answer.wasLost && !report.complete };
}
