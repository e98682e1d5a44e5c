/** What the store keeps of webhooks: addresses that are told of events, and what they are told. */
import type { Page } from '../contract/page.ts';
import type { DeliveryState, InactiveCause, WebhookEvent, WebhookMessageType } from '../contract/webhook.ts';
import type { Groups } from '../domain/sight.ts';
import type { AuditEvent, MakeOutcome, Paging } from './admin-store.ts';
import type { Idempotency, Timestamp } from './entities.ts';

export interface WebhookRow {
  id: string;
  accountId: string;
  accountName: string;
  /** May hold a secret of its account, in its path or query. */
  url: string;
  events: WebhookEvent[];
  description: string | null;
  active: boolean;
  /** null while it is active. */
  inactiveCause: InactiveCause | null;
  inactiveReason: string | null;
  failingSince: Timestamp | null;
  /** Until when the secret before signs, too. */
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
  /** Who or what takes it out of use, and why. */
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
  /** null: it is not tried any more. */
  nextAttemptAt: Timestamp | null;
  deliveredAt: Timestamp | null;
}

/** Something to tell. */
export interface WebhookMessage {
  event: WebhookMessageType;
  /** JSON. */
  data: string;
}

/** A message on its way; whoever took it tells what became of it by the claim. */
export interface ClaimedDelivery {
  id: string;
  event: WebhookMessageType;
  data: string;
  createdAt: Timestamp;
  /** This one included. */
  attempts: number;
}

/** What of one webhook may be sent now. Nobody else sends anything to it until the claim is settled, or its lease over. */
export interface WebhookClaim {
  webhookId: string;
  claim: string;
  url: string;
  /** The one to sign with, and the one before while it is still good. */
  secrets: Uint8Array[];
  deliveries: ClaimedDelivery[];
  /** For how long every attempt has failed, ms; 0: the last one succeeded. */
  failingForMs: number;
}

export interface DeliveryOutcome {
  id: string;
  /** null: there was no answer. */
  status: number | null;
  /** In words; null: it was delivered. */
  error: string | null;
  /** When it is tried again, from now; null: no more. */
  retryInMs: number | null;
}

export type ResendOutcome = DeliveryRow | 'not-active' | 'no-delivery' | 'too-many' | null;

export interface WebhookStore {
  /** `startAt`: a cursor of the log of events from before; what happened behind it is told. */
  makeWebhook(
    command: {
      webhook: NewWebhook;
      maxWebhooks: number;
      startAt: string;
      idempotency: Idempotency | null;
    },
    audit?: AuditEvent,
  ): Promise<MakeOutcome<WebhookRow>>;
  getWebhook(webhookId: string, accountId: string): Promise<WebhookRow | null>;
  /** Of one account or of all, newest first, with how much waits for each. */
  listWebhooks(
    query: { accountId?: string | undefined } & Paging,
  ): Promise<Page<WebhookRow & { pending: number }>>;
  /**
   * Changes what is given. One that comes into use again is told `reset` first. null: not found. `blocked`, and nothing
   * changed: an operator took it out of use, and who asks is none.
   */
  changeWebhook(
    change: WebhookChange,
    startAt: string | null,
    audit?: AuditEvent,
  ): Promise<(WebhookRow & { pending: number }) | 'blocked' | null>;
  /** False: not found. */
  deleteWebhook(webhookId: string, accountId: string, audit?: AuditEvent): Promise<boolean>;
  /** Another secret; the one that it has goes on for so long. null: not found. */
  rotateWebhookSecret(
    command: {
      webhookId: string;
      accountId: string;
      secret: Uint8Array;
      overlapMs: number;
    },
    audit?: AuditEvent,
  ): Promise<WebhookRow | null>;

  /** Newest first. null: no such webhook of the account. */
  listDeliveries(
    query: { webhookId: string; accountId: string; state?: DeliveryState | undefined } & Paging,
  ): Promise<Page<DeliveryRow> | null>;
  /** A message to one webhook, beside those of the log. null: not found. */
  pingWebhook(
    command: {
      webhookId: string;
      accountId: string;
      maxPending: number;
    },
    audit?: AuditEvent,
  ): Promise<Exclude<ResendOutcome, 'no-delivery'>>;
  /** Makes a delivery due now, whatever became of it; one that is under way is left as it is. null: no such webhook. */
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
   * How far events have been made into deliveries, and how many webhooks want any; and whether any webhook has
   * something due. A look that writes nothing.
   */
  webhookWork(): Promise<{ cursor: string | null; listening: number; isDue: boolean }>;
  /**
   * Moves the cursor on, and makes the deliveries of what lies between, in one transaction. False, and nothing done: it
   * was moved meanwhile.
   * @param messagesFor what there is for the webhooks of an account, each of which is told what it wants of it; it only computes
   * @param missed events between were lost: everybody is told `reset`
   */
  fanOut(step: {
    from: string | null;
    to: string | null;
    messagesFor(accountId: string, groups: Groups): WebhookMessage[];
    missed: boolean;
    maxPending: number;
  }): Promise<boolean>;
  /** Takes what is due of some webhooks, for so long. */
  claimDeliveries(options: {
    webhooks: number;
    perWebhook: number;
    leaseMs: number;
  }): Promise<WebhookClaim[]>;
  /** What became of a claim. False, and nothing changed: its lease was over, and another has it. */
  settleDeliveries(settlement: {
    webhookId: string;
    claim: string;
    outcomes: DeliveryOutcome[];
    /** When given, the webhook is taken out of use. */
    giveUp: string | null;
  }): Promise<boolean>;
  /**
   * Removes deliveries that are too old, at most `limit`, and of the next few webhooks (by id, behind `after`) those that
   * are over and too many. Answers how many, and behind which webhook to go on; null: from the first.
   */
  trimDeliveries(bounds: {
    maxAgeMs: number;
    maxPerWebhook: number;
    limit: number;
    after: string | null;
  }): Promise<{ removed: number; next: string | null }>;
  /** How many deliveries wait, counted up to `MOST_COUNTED`, and for how long the first has been due, ms. */
  webhookBacklog(): Promise<{ pending: number; overdueMs: number }>;
}
