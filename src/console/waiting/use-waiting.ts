import { createContext, use } from 'react';
import type { BorrowBody } from '../../client/borrow.ts';
import type { Queued } from '../../contract/http/queue.ts';

/** State of the request for any phone. There is one at a time. */
export type WaitingState =
  | { phase: 'none' }
  /** `queued` is null until the service has reported the request's position in the queue. */
  | { phase: 'waiting'; queued: Queued | null }
  | { phase: 'ready'; sessionId: string }
  | { phase: 'failed'; error: unknown };

interface Waiting {
  state: WaitingState;
  /** Requests a phone, and replaces an earlier request. */
  start(request: BorrowBody): void;
  /** Stops waiting, or dismisses the outcome. */
  stop(): void;
}

export const WaitingContext = createContext<Waiting | null>(null);

export function useWaiting(): Waiting {
  const waiting = use(WaitingContext);
  if (!waiting) throw new Error('useWaiting is used outside WaitingForPhone');
  return waiting;
}
