import { QUEUED_EVERY_MS, type Queued } from '../../contract/http/queue.ts';
import type { QueueStanding } from '../../store/queue/phone-queue.ts';
import type { Store } from '../../store/store.ts';
import { type BorrowRequest, filterKey, filtersOf, type Waiter } from './borrow-request.ts';

/** Minimum interval between lookups of the queue positions. An unchanged position is repeated after `REPEAT_MS`. */
const STANDING_MS = 1_000;
const REPEAT_MS = QUEUED_EVERY_MS - 2 * STANDING_MS;

/** The positions of requests in the queue. */
export class QueuePositions {
  private readonly store: Pick<Store, 'getQueueStandings'>;
  private standingAt = 0;

  constructor(store: Pick<Store, 'getQueueStandings'>) {
    this.store = store;
  }

  /** The state of the queue as the request's account sees it. */
  async standing({ filter, accountId }: BorrowRequest): Promise<QueueStanding> {
    return (await this.store.getQueueStandings(filter, [accountId])).get(accountId)!;
  }

  /** Tells waiting clients their positions, when they are new, have changed, or have not been sent for a while. */
  async notify(waiters: Waiter[]): Promise<void> {
    const now = performance.now();
    const listening = waiters.filter(({ onQueued }) => onQueued);
    const isNew = listening.some(({ lastPosition }) => lastPosition === null);
    if (listening.length === 0 || (!isNew && now - this.standingAt < STANDING_MS)) return;
    this.standingAt = now;
    for (const filter of filtersOf(listening)) {
      const asking = listening.filter(({ request }) => filterKey(request.filter) === filterKey(filter));
      const accountIds = [...new Set(asking.map(({ request }) => request.accountId))];
      const standings = await this.store.getQueueStandings(filter, accountIds);
      for (const waiter of asking) notifyPosition(waiter, standings.get(waiter.request.accountId)!);
    }
  }
}

export function placeOf({ sessionId }: BorrowRequest, { matching, waiting }: QueueStanding): Queued {
  const ahead = Math.max(0, waiting.indexOf(sessionId));
  return { position: ahead + 1, ahead, matching };
}

function notifyPosition(waiter: Waiter, standing: QueueStanding): void {
  const now = performance.now();
  const queued = placeOf(waiter.request, standing);
  const text = JSON.stringify(queued);
  if (waiter.lastPosition?.text === text && now - waiter.lastPosition.at < REPEAT_MS) return;
  waiter.lastPosition = { text, at: now };
  waiter.onQueued?.(queued);
}
