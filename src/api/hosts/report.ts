import type { BusRequests } from '../../bus/messages.ts';
import { type ApiContext, announce } from '../implement.ts';

type Report = BusRequests['control-plane.report'];

/** Takes a host's heartbeat in, and answers what the host should be doing by the rows. */
export async function takeReport(
  { store, bus, hostsMustBeKnown }: Pick<ApiContext, 'store' | 'bus' | 'hostsMustBeKnown'>,
  report: Report['request'],
  hostId: string,
): Promise<Report['response']> {
  const answer = await store.reportHost({ ...report, hostId, mustBeKnown: hostsMustBeKnown });
  if (!answer) throw new Error(`host ${hostId} was revoked, or never added (phonebooth hosts add)`);
  for (const session of answer.changed) announce(bus, session);
  return { orders: answer.assignments, reportAll: answer.wasLost && !report.complete };
}
