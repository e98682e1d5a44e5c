import type { AuditTrail } from '../control-plane/audit/trail.ts';
import { type ControlPlaneContext, type ControlPlaneMeter, noMeter } from '../control-plane/context.ts';
import type { ServerSentEvents } from '../control-plane/events/server-sent-events.ts';
import type { BorrowOptions, BorrowRequest } from '../control-plane/queue/borrow-request.ts';
import type { Principal } from '../store/accounts/account-store.ts';
import type { SessionRow } from '../store/entities.ts';
import type { Slots } from '../util/slots.ts';
import type { Authenticator } from './authenticate.ts';
import type { RequestLimits } from './limits/request-limits.ts';

/** Meter of API activity. */
export interface ApiMeter extends ControlPlaneMeter {
  /** @param answer `code` is the code in the envelope */
  answered(answer: { operation: string; code: number; seconds: number }): void;
}

/** Meter that records nothing. */
export const noApiMeter: ApiMeter = { ...noMeter, answered: () => {} };

/** The services that operations use. */
export interface ApiContext extends ControlPlaneContext {
  meter: ApiMeter;
  maxDurationMinutes: number;
  /** Maximum lifetime of a key that is created with a key issued by a sign-in. */
  maxKeyLifetimeMs: number;
  maxAppBytes: number;
  /** Slots of the uploads in progress, by account. */
  uploads: Slots;
  /** Maximum size of a file that is pushed to a phone. */
  maxFileBytes: number;
  /** Slots of the operations on files of phones, by account. */
  transfers: Slots;
  /** Slots of the artifacts that are being downloaded, by account. */
  downloads: Slots;
  authenticator: Authenticator;
  /** Records rejected requests and what clients do on sockets. Changes are recorded by the store. */
  trail: AuditTrail;
  /** Event streams, and the queue for phones. */
  events: { listen(listener: Principal, lastEventId: string | null): Promise<ServerSentEvents> };
  borrowQueue: { borrow(request: BorrowRequest, options: BorrowOptions): Promise<SessionRow> };
  /** Request rate limits by key and by address. */
  limits: RequestLimits;
  /**
   * `mayBePrivate`: whether webhooks may send to addresses outside the public Internet. `notify` starts delivery of
   * pending messages immediately.
   */
  webhooks: { mayBePrivate: boolean; notify(): void };
  /** Default limits of a new account; null: unlimited. */
  newAccounts: {
    quotaMinutes: number | null;
    maxSessions: number | null;
    maxAppBytes: number | null;
    maxArtifactBytes: number | null;
    /** null: artifacts are never deleted. */
    artifactDays: number | null;
  };
}
