import { orderHost } from '../../control-plane/order-host.ts';
import type { SessionRow } from '../../store/store.ts';
import { type Announcers, announce } from '../implement.ts';

/** Announces the ends of sessions to clients and to the hosts concerned. */
export function tellOfEnds(context: Announcers, sessions: SessionRow[]): void {
  for (const session of sessions) {
    announce(context, session);
    orderHost(context, session);
  }
}
