import type { Webhook, WebhookDelivery, WebhookWithSecret } from '../contract/events/webhook.ts';
import type { OperationTypes } from '../contract/http/operations.ts';
import type { Page } from '../contract/http/page.ts';
import { idempotencyHeader, type Sender, type WriteOptions } from './request.ts';

export type NewWebhook = OperationTypes['webhooks.create']['body'];
export type WebhookChange = OperationTypes['webhooks.update']['body'];
export type DeliveryQuery = Partial<OperationTypes['webhooks.deliveries']['query']>;
type PageQuery = Partial<OperationTypes['webhooks.list']['query']>;

/** The account's webhooks. Every method throws `ServiceError` when the request fails. */
export class WebhookClient {
  readonly #send: Sender;

  constructor(send: Sender) {
    this.#send = send;
  }

  /** Only this response contains the secret. */
  create(webhook: NewWebhook, { idempotencyKey, signal }: WriteOptions = {}): Promise<WebhookWithSecret> {
    const headers = idempotencyHeader(idempotencyKey);
    return this.#send.json('/webhooks', { method: 'POST', body: webhook, headers, signal });
  }

  list(query: PageQuery = {}, signal?: AbortSignal): Promise<Page<Webhook>> {
    return this.#send.json('/webhooks', { query, signal });
  }

  get(webhookId: string, signal?: AbortSignal): Promise<Webhook> {
    return this.#send.json(path(webhookId), { signal });
  }

  /** Fields that the change omits keep their values. */
  update(webhookId: string, change: WebhookChange, signal?: AbortSignal): Promise<Webhook> {
    return this.#send.json(path(webhookId), { method: 'PATCH', body: change, signal });
  }

  async delete(webhookId: string, signal?: AbortSignal): Promise<void> {
    await this.#send.json(path(webhookId), { method: 'DELETE', signal });
  }

  /** Creates a new secret. Messages are also signed with the previous one for another day. */
  rotate(webhookId: string, signal?: AbortSignal): Promise<WebhookWithSecret> {
    return this.#send.json(`${path(webhookId)}/rotate`, { method: 'POST', signal });
  }

  /** Sends a `ping` message. */
  test(webhookId: string, signal?: AbortSignal): Promise<WebhookDelivery> {
    return this.#send.json(`${path(webhookId)}/test`, { method: 'POST', signal });
  }

  deliveries(
    webhookId: string,
    query: DeliveryQuery = {},
    signal?: AbortSignal,
  ): Promise<Page<WebhookDelivery>> {
    return this.#send.json(`${path(webhookId)}/deliveries`, { query, signal });
  }

  redeliver(webhookId: string, deliveryId: string, signal?: AbortSignal): Promise<WebhookDelivery> {
    const delivery = `${path(webhookId)}/deliveries/${encodeURIComponent(deliveryId)}`;
    return this.#send.json(`${delivery}/redeliver`, { method: 'POST', signal });
  }
}

const path = (id: string) => `/webhooks/${encodeURIComponent(id)}`;
