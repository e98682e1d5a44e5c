import { setTimeout as delay } from 'node:timers/promises';
import { DELIVERY_TIMEOUT_S, MAX_PENDING_DELIVERIES } from '../../contract/events/webhook.ts';
import { reasonToGiveUp, retryDelayMs } from '../../domain/webhook-retries.ts';
import { logUnlessOutage } from '../../store/outage-log.ts';
import type { ClaimedDelivery, DeliveryOutcome, WebhookClaim } from '../../store/webhooks/webhook-store.ts';
import { Notifier } from '../../util/notifier.ts';
import type { ControlPlaneContext } from '../context.ts';
import { iso } from '../iso.ts';
import { describeEvents } from './describe-events.ts';
import { type Sent, sendMessage } from './send.ts';
import { signatureHeaders } from './sign.ts';

export interface DelivererOptions {
  /** Whether messages may be sent to addresses outside the public Internet. */
  mayBePrivate: boolean;
  version: string;
  /** Interval at which due deliveries are looked up even when no bus message arrives. */
  pollMs?: number;
  /** Time within which a receiver must respond, ms. */
  timeoutMs?: number;
  /**
   * A claim that its process has not settled for this long is taken over by another process. It is longer than the
   * receiver's timeout.
   */
  leaseMs?: number;
  /** Maximum number of events converted to messages in one transaction. */
  page?: number;
}

const DEFAULTS = { pollMs: 500, timeoutMs: DELIVERY_TIMEOUT_S * 1000, page: 250 };
/** Time for the store to settle a claim, in addition to the receiver's timeout. */
const SETTLE_MS = 5_000;
/**
 * Maximum number of webhooks that this process delivers to concurrently, more than a few accounts can have, so that
 * receivers that hang delay only themselves. `MAX_CLAIMED` is the maximum number claimed in one transaction, and
 * `PER_WEBHOOK` the number of messages claimed for each.
 */
const MAX_WEBHOOKS = 128;
const MAX_CLAIMED = 32;
const PER_WEBHOOK = 4;
/** Maximum number of messages created in one transaction. */
const MAX_CREATED = 5_000;
const POLL_PAUSE_MS = 20;
/** While there are no events, the cursor is still advanced this often, so that the log is never trimmed beyond it. */
const MOVE_MS = 600_000;

/** Result of the conversion of some events to messages. */
interface FanOutResult {
  mayHaveCreated: boolean;
  /** More events are waiting. */
  hasMore: boolean;
}

const NOTHING: FanOutResult = { mayHaveCreated: false, hasMore: false };

type Context = Pick<ControlPlaneContext, 'store' | 'bus' | 'log' | 'meter'>;

/**
 * Converts the event log to messages for webhooks, and delivers them. It runs in every api process. The cursor in the
 * store advances in the same transaction that creates the messages, so only one process creates each. Due messages
 * are claimed with a lease, so that another process delivers the messages of a process that died. A message may be
 * delivered twice, with the same identifier.
 */
export class WebhookDeliverer implements AsyncDisposable {
  private readonly context: Context;
  private readonly options: Required<DelivererOptions>;
  private readonly notifier = new Notifier();
  private readonly stopping = new AbortController();
  private readonly working = new Set<Promise<void>>();
  private running: Promise<void> | null = null;
  private isStoreUnavailable = false;
  private movedAt = performance.now();

  constructor(context: Context, options: DelivererOptions) {
    this.context = context;
    const timeoutMs = options.timeoutMs ?? DEFAULTS.timeoutMs;
    this.options = { ...DEFAULTS, leaseMs: timeoutMs + SETTLE_MS, ...options, timeoutMs };
  }

  start(): void {
    this.running ??= this.run();
  }

  /** Starts a pass immediately, because there may be something to deliver. */
  notify(): void {
    this.notifier.notify();
  }

  /** Aborts deliveries in progress. Another process sends them again, or this one after its next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.stopping.abort();
    this.notifier.notify();
    await this.running;
    await Promise.all(this.working);
  }

  private async run(): Promise<void> {
    const subscription = this.context.bus.subscribe('session.changed', () => this.notifier.notify());
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const hasMore = await this.poll();
      if (!hasMore) await delay(POLL_PAUSE_MS, undefined, { signal }).catch(() => {});
      if (!hasMore && !signal.aborted) await this.notifier.wait(this.options.pollMs);
    }
    subscription.close();
  }

  /** Returns whether there is more to do immediately. Never throws. */
  private async poll(): Promise<boolean> {
    const { store, log } = this.context;
    try {
      const { cursor, listening, isDue } = await store.getWebhookWork();
      const { mayHaveCreated, hasMore } =
        listening > 0 || cursor !== null ? await this.fanOut(cursor, listening) : NOTHING;
      if (isDue || mayHaveCreated) await this.claimDue();
      if (this.isStoreUnavailable) log.info({}, 'store is available again; delivering webhooks');
      this.isStoreUnavailable = false;
      return hasMore;
    } catch (error) {
      if (!this.isStoreUnavailable)
        log.warn({ err: error }, 'pending webhook deliveries could not be read; retrying');
      this.isStoreUnavailable = true;
      return false;
    }
  }

  /** Converts the next events to messages. */
  private async fanOut(from: string | null, listening: number): Promise<FanOutResult> {
    const { store } = this.context;
    const maxPending = MAX_PENDING_DELIVERIES;
    const step = { from, messagesFor: () => [], missed: false, maxPending };
    if (listening === 0) {
      await store.fanOut({ ...step, to: null });
      return NOTHING;
    }
    const limit = Math.max(1, Math.min(this.options.page, Math.floor(MAX_CREATED / listening)));
    const { events, cursor, more, reset } = await store.readEvents(from, limit);
    const isQuiet = events.length === 0 && !reset && from !== null;
    if (isQuiet && (cursor === from || performance.now() - this.movedAt < MOVE_MS)) return NOTHING;
    const messagesFor = await describeEvents(this.context, events);
    const moved = await store.fanOut({ ...step, to: cursor, messagesFor, missed: reset });
    this.movedAt = performance.now();
    return { mayHaveCreated: moved, hasMore: more || !moved };
  }

  /** Claims due messages, and begins to deliver them. */
  private async claimDue(): Promise<void> {
    const room = Math.min(MAX_CLAIMED, MAX_WEBHOOKS - this.working.size);
    if (room === 0) return;
    const { leaseMs } = this.options;
    const claims = await this.context.store.claimDeliveries({
      webhooks: room,
      perWebhook: PER_WEBHOOK,
      leaseMs,
    });
    for (const claim of claims) {
      const work: Promise<void> = this.deliver(claim).finally(() => {
        this.working.delete(work);
        this.notifier.notify();
      });
      this.working.add(work);
    }
    if (claims.length === MAX_CLAIMED) this.notifier.notify();
  }

  /** Never throws. If a claim cannot be settled, it is taken over and its messages are sent again. */
  private async deliver(claim: WebhookClaim): Promise<void> {
    const { store, log, meter } = this.context;
    const { webhookId } = claim;
    const sent = await Promise.all(claim.deliveries.map((delivery) => this.send(claim, delivery)));
    const outcomes = claim.deliveries.flatMap(({ id, attempts }, index): DeliveryOutcome[] => {
      const { status, error } = sent[index]!;
      if (status === null && this.stopping.signal.aborted) return [];
      return [
        { id, status, error, retryInMs: error === null ? null : retryDelayMs(attempts, Math.random()) },
      ];
    });
    try {
      const settlement = { webhookId, claim: claim.claim, outcomes, giveUp: giveUp(claim, outcomes) };
      if (!(await store.settleDeliveries(settlement))) return;
    } catch (err) {
      logUnlessOutage(
        log,
        'warn',
        { webhookId, err },
        'results of webhook deliveries could not be recorded; the messages are sent again',
      );
      return;
    }
    for (const { id, status, error, retryInMs } of outcomes) {
      const outcome = error === null ? 'delivered' : retryInMs === null ? 'dead' : 'retried';
      meter.webhookTried(outcome);
      log.debug({ webhookId, deliveryId: id, status, error, outcome }, 'webhook delivery attempted');
    }
  }

  private send({ url, secrets }: WebhookClaim, delivery: ClaimedDelivery): Promise<Sent> {
    const { id, event, createdAt, data } = delivery;
    const body = `{"type":${JSON.stringify(event)},"timestamp":"${iso(createdAt)}","data":${data}}`;
    const timestamp = Math.floor(Date.now() / 1000);
    const headers = {
      'content-type': 'application/json',
      'user-agent': `Phonebooth/${this.options.version}`,
      ...signatureHeaders(secrets, { id, timestamp, body }),
    };
    const { mayBePrivate, timeoutMs } = this.options;
    return sendMessage(url, { body, headers }, { mayBePrivate, timeoutMs, signal: this.stopping.signal });
  }
}

/** Why the webhook is disabled after these outcomes; null if it stays enabled. */
function giveUp({ failingForMs }: WebhookClaim, outcomes: DeliveryOutcome[]): string | null {
  if (outcomes.some(({ error }) => error === null)) return null;
  const reasons = outcomes.map(({ status }) => reasonToGiveUp({ status, failingForMs }));
  return reasons.find((reason) => reason !== null) ?? null;
}
