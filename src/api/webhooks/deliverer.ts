import { setTimeout as delay } from 'node:timers/promises';
import { DELIVERY_TIMEOUT_S, MAX_PENDING_DELIVERIES } from '../../contract/webhook.ts';
import { reasonToGiveUp, retryDelayMs } from '../../domain/webhook-retries.ts';
import type { ClaimedDelivery, DeliveryOutcome, WebhookClaim } from '../../store/webhook-store.ts';
import { Bell } from '../../util/bell.ts';
import type { ApiContext } from '../implement.ts';
import { iso } from '../iso.ts';
import { describeEvents } from './describe-events.ts';
import { type Sent, sendMessage } from './send.ts';
import { signatureHeaders } from './sign.ts';

export interface DelivererOptions {
  /** Whether messages may go to addresses that are not of the public Internet. */
  mayBePrivate: boolean;
  version: string;
  /** How often what is due is looked for even when nobody says that there is something. */
  pollMs?: number;
  /** How long a receiver has. */
  timeoutMs?: number;
  /** A claim whose process is not heard of for this long is taken over; longer than a receiver has. */
  leaseMs?: number;
  /** Events that are made into messages in one transaction. */
  page?: number;
}

const DEFAULTS = { pollMs: 500, timeoutMs: DELIVERY_TIMEOUT_S * 1000, page: 250 };
/** What the store has to settle a claim in, beside the receiver's time. */
const SETTLE_MS = 5_000;
/**
 * Webhooks that this process works on at a time, more than a few accounts can have: receivers that hang hold up nobody but
 * themselves. How many one transaction takes, and messages to one of them.
 */
const MAX_WEBHOOKS = 128;
const MAX_TAKEN = 32;
const PER_WEBHOOK = 4;
/** Messages that one transaction makes. */
const MAX_MADE = 5_000;
const REST_MS = 20;
/** A cursor that stands for a quiet log is written down this often, so that the log is never trimmed up to it. */
const MOVE_MS = 600_000;

const NOTHING = { some: false, more: false };

type Parts = Pick<ApiContext, 'store' | 'bus' | 'log' | 'meter'>;

/**
 * Makes the log of events into messages to webhooks, and delivers them. It runs in every api process: the cursor in the
 * store moves on with the messages it stands for, in one transaction, whoever is first; and what is due is taken by a
 * lease, so that what a process took that died is delivered by another. A message may come twice, with one identifier.
 */
export class WebhookDeliverer implements AsyncDisposable {
  private readonly parts: Parts;
  private readonly options: Required<DelivererOptions>;
  private readonly bell = new Bell();
  private readonly stopping = new AbortController();
  private readonly working = new Set<Promise<void>>();
  private running: Promise<void> | null = null;
  private storeAway = false;
  private movedAt = performance.now();

  constructor(parts: Parts, options: DelivererOptions) {
    this.parts = parts;
    const timeoutMs = options.timeoutMs ?? DEFAULTS.timeoutMs;
    this.options = { ...DEFAULTS, leaseMs: timeoutMs + SETTLE_MS, ...options, timeoutMs };
  }

  start(): void {
    this.running ??= this.run();
  }

  /** There is something to deliver now. */
  ring(): void {
    this.bell.ring();
  }

  /** Messages on their way are given up: they are sent again by another process, or after the next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.stopping.abort();
    this.bell.ring();
    await this.running;
    await Promise.all(this.working);
  }

  private async run(): Promise<void> {
    const subscription = this.parts.bus.subscribe('session.changed', () => this.bell.ring());
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const more = await this.look();
      if (!more) await delay(REST_MS, undefined, { signal }).catch(() => {});
      if (!more && !signal.aborted) await this.bell.wait(this.options.pollMs);
    }
    subscription.close();
  }

  /** Answers whether there is more to do at once. Never throws. */
  private async look(): Promise<boolean> {
    const { store, log } = this.parts;
    try {
      const { cursor, listening, isDue } = await store.webhookWork();
      const made = listening > 0 || cursor !== null ? await this.fanOut(cursor, listening) : NOTHING;
      if (isDue || made.some) await this.take();
      if (this.storeAway) log.info({}, 'the store answers again; webhooks go on');
      this.storeAway = false;
      return made.more;
    } catch (error) {
      if (!this.storeAway) log.warn({ err: error }, 'webhooks cannot be seen to; trying on');
      this.storeAway = true;
      return false;
    }
  }

  /** Answers whether messages may have been made, and whether there are more events to be made into some. */
  private async fanOut(from: string | null, listening: number): Promise<{ some: boolean; more: boolean }> {
    const { store } = this.parts;
    const maxPending = MAX_PENDING_DELIVERIES;
    const step = { from, messagesFor: () => [], missed: false, maxPending };
    if (listening === 0) {
      await store.fanOut({ ...step, to: null });
      return NOTHING;
    }
    const limit = Math.max(1, Math.min(this.options.page, Math.floor(MAX_MADE / listening)));
    const { events, cursor, more, reset } = await store.readEvents(from, limit);
    const isQuiet = events.length === 0 && !reset && from !== null;
    if (isQuiet && (cursor === from || performance.now() - this.movedAt < MOVE_MS)) return NOTHING;
    const messagesFor = await describeEvents(this.parts, events);
    const moved = await store.fanOut({ ...step, to: cursor, messagesFor, missed: reset });
    this.movedAt = performance.now();
    return { some: moved, more: more || !moved };
  }

  private async take(): Promise<void> {
    const room = Math.min(MAX_TAKEN, MAX_WEBHOOKS - this.working.size);
    if (room === 0) return;
    const { leaseMs } = this.options;
    const claims = await this.parts.store.claimDeliveries({
      webhooks: room,
      perWebhook: PER_WEBHOOK,
      leaseMs,
    });
    for (const claim of claims) {
      const work: Promise<void> = this.deliver(claim).finally(() => {
        this.working.delete(work);
        this.bell.ring();
      });
      this.working.add(work);
    }
    if (claims.length === MAX_TAKEN) this.bell.ring();
  }

  /** Never throws: what cannot be settled is taken over, and sent again. */
  private async deliver(claim: WebhookClaim): Promise<void> {
    const { store, log, meter } = this.parts;
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
    } catch (error) {
      log.warn(
        { webhookId, err: error },
        'what became of deliveries was not written down; they are sent again',
      );
      return;
    }
    for (const { id, status, error, retryInMs } of outcomes) {
      const outcome = error === null ? 'delivered' : retryInMs === null ? 'dead' : 'retried';
      meter.webhookTried(outcome);
      log.debug({ webhookId, deliveryId: id, status, error, outcome }, 'a message to a webhook was tried');
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

/** Why the webhook is to be taken out of use after this; null: it is not. */
function giveUp({ failingForMs }: WebhookClaim, outcomes: DeliveryOutcome[]): string | null {
  if (outcomes.some(({ error }) => error === null)) return null;
  const reasons = outcomes.map(({ status }) => reasonToGiveUp({ status, failingForMs }));
  return reasons.find((reason) => reason !== null) ?? null;
}
