import type { BorrowRefusal, UnavailableReason } from '../domain/refusals.ts';
import type { AuditEvent } from './admin-store.ts';
import type { ConnectCommand, SessionRow } from './entities.ts';

/** Which phones will do; an empty text: any. `brand` is in lower case. */
export interface PhoneFilter {
  brand: string;
  osVersion: string;
  model: string;
}

export interface BorrowCommand extends Omit<ConnectCommand, 'deviceId'> {
  filter: PhoneFilter;
  /** Has the request wait when no phone is free; null: it is refused then. */
  wait: { processId: string; maxWaiting: number; maxWaitingPerAccount: number } | null;
}

export type Lent = { state: 'lent'; session: SessionRow; replayed: boolean };
export type Refused = { state: 'refused'; refusal: BorrowRefusal };
export type BorrowOutcome = Lent | Refused | { state: 'waiting' };

/** What has become of a request that waited. */
export interface Turn {
  sessionId: string;
  outcome: Lent | Refused;
}

export interface QueueStanding {
  /** Phones that match and that the account sees, whatever they are doing. */
  matching: number;
  /** Why none of them is lent. */
  reason: UnavailableReason;
  /** The sessions that are waited for and that such a phone would do for, in their turn. */
  waiting: string[];
}

/**
 * The queue for phones that match: first come, first served, among those for whom the same phone will do. Requests
 * wait as rows, so that all processes have one queue; each process serves its own, and says that it lives.
 */
export interface PhoneQueue {
  /**
   * Lends a phone that its account sees, that matches and is free and that nobody waits for, or has the request wait: a
   * repeat of one that waited in a process that has stopped, at the place which that one had.
   */
  borrow(command: BorrowCommand, audit?: AuditEvent): Promise<BorrowOutcome>;
  /**
   * Sees to the first of a process's waiters with this filter for which a phone is free that nobody came before it for: it
   * is lent, or refused what it may not have any more, and waits no longer. null: nobody's turn has come.
   * @param auditOf the event of the waiter with this session identifier; it only looks it up
   */
  nextTurn(
    of: { processId: string; filter: PhoneFilter },
    auditOf?: (sessionId: string) => AuditEvent | undefined,
  ): Promise<Turn | null>;
  /** As it is for each of these accounts. */
  queueStandings(filter: PhoneFilter, accountIds: string[]): Promise<ReadonlyMap<string, QueueStanding>>;
  /**
   * Says that a process lives, which holds for 5 s; and removes those that have not for a minute, with their waiters.
   * False when it was removed itself.
   */
  keepWaiting(processId: string): Promise<boolean>;
  /**
   * Undoes a request whose client has gone: it waits no longer, its session ends, and its idempotency key is free
   * again. Answers the session when this ended it.
   */
  cancelBorrow(request: {
    sessionId: string;
    accountId: string;
    idempotencyKey: string | null;
  }): Promise<SessionRow | null>;
  /** A process stops: its waiters are passed over from now on, and for a minute their repeats find their places. */
  leaveQueue(processId: string): Promise<void>;
}
