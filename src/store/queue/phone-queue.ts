import type { BorrowRefusal, UnavailableReason } from '../../domain/refusals.ts';
import type { AuditEvent } from '../audit/audit-store.ts';
import type { ConnectCommand, SessionRow } from '../entities.ts';

/** Which devices a request accepts. An empty string matches any value. `brand` is in lower case. */
export interface PhoneFilter {
  brand: string;
  osVersion: string;
  model: string;
}

export interface BorrowCommand extends Omit<ConnectCommand, 'deviceId'> {
  filter: PhoneFilter;
  /** The request waits when no device is available. null: it is refused instead. */
  wait: { processId: string; maxWaiting: number; maxWaitingPerAccount: number } | null;
}

export type Borrowed = { state: 'borrowed'; session: SessionRow; replayed: boolean };
export type Refused = { state: 'refused'; refusal: BorrowRefusal };
export type BorrowOutcome = Borrowed | Refused | { state: 'waiting' };

/** The outcome of a request that waited. */
export interface Turn {
  sessionId: string;
  outcome: Borrowed | Refused;
}

export interface QueueStanding {
  /** Number of devices that match and that the account can see, in any condition. */
  matching: number;
  /** Why none of them can be connected. */
  reason: UnavailableReason;
  /** Identifiers of the sessions that wait for a device that the account can see, in queue order. */
  waiting: string[];
}

/**
 * The queue for devices that match a filter. Among requests that accept the same device it is first come, first
 * served. Waiting requests are rows, so that all processes share one queue. Each process serves its own waiters and
 * sends heartbeats.
 */
export interface PhoneQueue {
  /**
   * Connects a matching device that is visible to the account, available, and not awaited by an earlier request;
   * otherwise the request waits. If the same request waited in a process that has stopped, it resumes that place in
   * the queue.
   */
  borrow(command: BorrowCommand, audit?: AuditEvent): Promise<BorrowOutcome>;
  /**
   * Serves the first waiter of a process with this filter for which a device is available that no earlier waiter
   * accepts. The waiter gets the device or a refusal, and leaves the queue. null: no waiter can be served.
   * @param auditOf returns the audit event of the waiter with this session identifier; a pure lookup
   */
  nextTurn(
    of: { processId: string; filter: PhoneFilter },
    auditOf?: (sessionId: string) => AuditEvent | undefined,
  ): Promise<Turn | null>;
  /** The state of the queue as seen by each of these accounts. */
  getQueueStandings(filter: PhoneFilter, accountIds: string[]): Promise<ReadonlyMap<string, QueueStanding>>;
  /**
   * Heartbeat of a process, valid for 5 s. Also deletes processes without a heartbeat for a minute, with their
   * waiters. Returns false when this process itself had been deleted.
   */
  keepWaiting(processId: string): Promise<boolean>;
  /**
   * Cancels a request whose client has disconnected: it leaves the queue, its session ends, and its idempotency key
   * becomes unused again. A session that a repeat of the request has received continues. Returns the session if this
   * call ended it.
   */
  cancelBorrow(request: {
    sessionId: string;
    accountId: string;
    idempotencyKey: string | null;
  }): Promise<SessionRow | null>;
  /**
   * Called when a process stops. Its waiters are skipped from now on; for a minute, repeated requests can resume
   * their places.
   */
  leaveQueue(processId: string): Promise<void>;
}
