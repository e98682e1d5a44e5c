import type { BusRequests } from '../../bus/messages.ts';
import { type ApiContext, announce } from '../implement.ts';

type Report = BusRequests['control-plane.report'];

/** Takes a host's heartbeat in, and answers what the host should be doing by the rows. */
export async function takeReport(
  { store, bus }: Pick<ApiContext, 'store' | 'bus'>,
  report: Report['request'],
  hostId: string,
): Promise<Report['response']> {
  const { assignments, changed } = await store.reportHost({ ...report, hostId });
  for (const session of changed) announce(bus, session);
  return { orders: assignments };
}
