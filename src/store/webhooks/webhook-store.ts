/** Store interface of webhooks: URLs that receive events, and their deliveries. */

import type {
  DeliveryState,
  InactiveCause,
  WebhookEvent,
  WebhookMessageType,
} from '../../contract/events/webhook.ts';
import type { Page } from '../../contract/http/page.ts';
import type { Groups } from '../../domain/visibility.ts';
import type { AuditEvent } from '../audit/audit-store.ts';
import type { CreateOutcome, Idempotency, Paging, Timestamp } from '../entities.ts';

export interface WebhookRow {
  id: string;
  accountId: string;
  accountName: string;
  /** The path or query may contain a secret of the account. */
  url: string;
  events: WebhookEvent[];
  description: string | null;
  active: boolean;
  /** null while the webhook is active. */
  inactiveCause: InactiveCause | null;
  inactiveReason: string | null;
  failingSince: Timestamp | null;
  /** Time until which the previous secret also signs messages; null: only the current one signs. */
  previousSecretUntil: Timestamp | null;
  createdAt: Timestamp;
}

export interface NewWebhook {
  accountId: string;
  url: string;
  events: WebhookEvent[];
  description: string | null;
  secret: Uint8Array;
}

export interface WebhookChange {
  webhookId: string;
  /** When given, a webhook of another account is not found. */
  accountId?: string | undefined;
  url?: string | undefined;
  events?: WebhookEvent[] | undefined;
  description?: string | null | undefined;
  active?: boolean | undefined;
  /** The cause of a deactivation, and its reason. */
  cause?: InactiveCause | undefined;
  reason?: string | null | undefined;
}

export interface DeliveryRow {
  id: string;
  event: WebhookMessageType;
  state: DeliveryState;
  attempts: number;
  createdAt: Timestamp;
  lastAttemptAt: Timestamp | null;
  lastStatus: number | null;
  lastError: string | null;
  /** null: no further attempt will be made. */
  nextAttemptAt: Timestamp | null;
  deliveredAt: Timestamp | null;
}

/** A message to deliver. */
export interface WebhookMessage {
  event: WebhookMessageType;
  /** JSON. */
  data: string;
}

/** A delivery that a worker has claimed. The worker reports its outcome with the claim's identifier. */
export interface ClaimedDelivery {
  id: string;
  event: WebhookMessageType;
  data: string;
  createdAt: Timestamp;
  /** Includes the current attempt. */
  attempts: number;
}

/**
 * Deliveries of one webhook that are due. Until the claim is settled or its lease expires, no other worker sends to
 * the webhook.
 */
export interface WebhookClaim {
  webhookId: string;
  claim: string;
  url: string;
  /** The current secret, and the previous one while it is still valid. */
  secrets: Uint8Array[];
  deliveries: ClaimedDelivery[];
  /** For how long every attempt has failed, ms. 0: the last attempt succeeded. */
  failingForMs: number;
}

export interface DeliveryOutcome {
  id: string;
  /** null: no response was received. */
  status: number | null;
  /** A readable message; null: it was delivered. */
  error: string | null;
  /** Delay until the next attempt, ms; null: no further attempt is made. */
  retryInMs: number | null;
}

export type ResendOutcome = DeliveryRow | 'not-active' | 'no-delivery' | 'too-many' | null;

export interface WebhookStore {
  /**
   * `startAt`: a cursor of the event log, taken before this call. The webhook receives the events that follow it.
   */
  createWebhook(
    command: {
      webhook: NewWebhook;
      maxWebhooks: number;
      startAt: string;
      idempotency: Idempotency | null;
    },
    audit?: AuditEvent,
  ): Promise<CreateOutcome<WebhookRow>>;
  getWebhook(webhookId: string, accountId: string): Promise<WebhookRow | null>;
  /** The webhooks of one account or of all, newest first, each with the number of its pending deliveries. */
  listWebhooks(
    query: { accountId?: string | undefined } & Paging,
  ): Promise<Page<WebhookRow & { pending: number }>>;
  /**
   * Changes the given fields. A webhook that is reactivated receives `reset` first. null: the webhook does not exist.
   * `blocked`: an operator deactivated it and the caller is not an operator; nothing was changed.
   */
  updateWebhook(
    change: WebhookChange,
    startAt: string | null,
    audit?: AuditEvent,
  ): Promise<(WebhookRow & { pending: number }) | 'blocked' | null>;
  /** Returns false when the webhook does not exist. */
  deleteWebhook(webhookId: string, accountId: string, audit?: AuditEvent): Promise<boolean>;
  /** Sets a new secret; the current one stays valid for `overlapMs`. null: the webhook does not exist. */
  rotateWebhookSecret(
    command: {
      webhookId: string;
      accountId: string;
      secret: Uint8Array;
      overlapMs: number;
    },
    audit?: AuditEvent,
  ): Promise<WebhookRow | null>;

  /** Newest first. null: the account has no such webhook. */
  listDeliveries(
    query: { webhookId: string; accountId: string; state?: DeliveryState | undefined } & Paging,
  ): Promise<Page<DeliveryRow> | null>;
  /**
   * Sends a ping message to one webhook, in addition to those from the event log. null: the webhook does not exist.
   */
  pingWebhook(
    command: {
      webhookId: string;
      accountId: string;
      maxPending: number;
    },
    audit?: AuditEvent,
  ): Promise<Exclude<ResendOutcome, 'no-delivery'>>;
  /**
   * Makes a delivery due now, whatever its state. A delivery that is in progress is left unchanged. null: the webhook
   * does not exist.
   */
  resendDelivery(
    command: {
      webhookId: string;
      accountId: string;
      deliveryId: string;
      maxPending: number;
    },
    audit?: AuditEvent,
  ): Promise<ResendOutcome>;

  /**
   * The cursor up to which events have been turned into deliveries, how many webhooks listen, and whether any webhook
   * has a delivery that is due. Writes nothing.
   */
  getWebhookWork(): Promise<{ cursor: string | null; listening: number; isDue: boolean }>;
  /**
   * Advances the cursor and creates the deliveries of the events in between, in one transaction. Returns false, and
   * changes nothing, when the cursor was moved in the meantime.
   * @param messagesFor the messages for the webhooks of an account, from which each webhook gets those that it
   * subscribes to; a pure function
   * @param missed events in between were lost, so that every webhook receives `reset`
   */
  fanOut(step: {
    from: string | null;
    to: string | null;
    messagesFor(accountId: string, groups: Groups): WebhookMessage[];
    missed: boolean;
    maxPending: number;
  }): Promise<boolean>;
  /** Claims due deliveries of at most `webhooks` webhooks, for `leaseMs`. */
  claimDeliveries(options: {
    webhooks: number;
    perWebhook: number;
    leaseMs: number;
  }): Promise<WebhookClaim[]>;
  /**
   * Records the outcomes of a claim. Returns false, and changes nothing, when the lease has expired and another
   * worker holds the claim.
   */
  settleDeliveries(settlement: {
    webhookId: string;
    claim: string;
    outcomes: DeliveryOutcome[];
    /** When given, the webhook is deactivated for this reason. */
    giveUp: string | null;
  }): Promise<boolean>;
  /**
   * Deletes at most `limit` deliveries that are too old and, for the next few webhooks (sorted by identifier, after
   * `after`), the finished deliveries that exceed `maxPerWebhook`. Returns how many it deleted, and the webhook after
   * which to continue; null: from the first one.
   */
  trimDeliveries(bounds: {
    maxAgeMs: number;
    maxPerWebhook: number;
    limit: number;
    after: string | null;
  }): Promise<{ removed: number; next: string | null }>;
  /** Number of pending deliveries, counted up to `MAX_COUNTED`, and how long the oldest has been due, ms. */
  getWebhookBacklog(): Promise<{ pending: number; overdueMs: number }>;
}
