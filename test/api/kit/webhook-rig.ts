import { PhoneboothClient } from '../../../src/client/phonebooth-client.ts';
import type { WebhookDelivery, WebhookWithSecret } from '../../../src/contract/events/webhook.ts';
import type { DelivererOptions } from '../../../src/control-plane/webhooks/deliverer.ts';
import { until } from '../../black-box/kit/wait.ts';
import { type Received, WebhookReceiver } from '../../fixtures/webhook-receiver.ts';
import { type ApiRig, startApiRig } from '../api-rig.ts';

/** Resources of the current test. */
export let opened: AsyncDisposableStack;
export let rig: ApiRig;
export let receiver: WebhookReceiver;
export let client: PhoneboothClient;
export let own: { accountId: string; keyId: string; key: string };

/** Starts an API, a webhook receiver, and an account with a client. `opened` closes all of them. */
export async function begin(options: Partial<DelivererOptions> = {}): Promise<void> {
  opened = new AsyncDisposableStack();
  const webhooks = { mayBePrivate: true, pollMs: 20, timeoutMs: 60_000, ...options };
  rig = opened.use(await startApiRig({ webhooks }));
  receiver = opened.use(await WebhookReceiver.start());
  own = await rig.key();
  client = clientOf(own.key);
}

export const clientOf = (key: string) => new PhoneboothClient({ baseUrl: rig.baseUrl, key });
export const deliveriesOf = async ({ id }: { id: string }) =>
  (await client.webhooks.deliveries(id, { page_size: 100 })).items;

/** Waits until the webhook's only delivery satisfies the condition, and returns it. */
export function delivery(webhook: { id: string }, isSo: (row: WebhookDelivery) => boolean) {
  return until('a matching delivery', async () => (await deliveriesOf(webhook)).find(isSo), {
    deadlineMs: 60_000,
  });
}
export const first = (type: string, of = receiver): Promise<Received> =>
  until(`a message of type ${type}`, () => of.ofType(type)[0], { deadlineMs: 60_000 });

export async function pinged(
  url = receiver.url,
): Promise<{ webhook: WebhookWithSecret; sent: WebhookDelivery }> {
  const webhook = await client.webhooks.create({ url });
  return { webhook, sent: await client.webhooks.test(webhook.id) };
}

/** Allocates a phone in the store, as a connect does. */
export async function startSession(deviceId = 'd1'): Promise<string> {
  await rig.report({ id: deviceId });
  const session = await client.connect(deviceId, { duration: 5 });
  return session.session_id;
}
