import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  DELIVERY_STATES,
  type DeliveryState,
  WEBHOOK_EVENTS,
  type Webhook,
  type WebhookDelivery,
  type WebhookEvent,
} from '../contract/events/webhook.ts';
import { addJson, addListJson, type ListOptions, printList, printResult, table } from './output.ts';
import { addRemote, openService, type RemoteOptions } from './remote.ts';

interface AddOptions extends RemoteOptions {
  events?: WebhookEvent[];
  description?: string;
}

interface DeliveriesOptions extends RemoteOptions, ListOptions {
  state?: DeliveryState;
}

/** `phonebooth webhooks`: manages the addresses to which the service sends the events of the key's account. */
export function addWebhooksCommand(program: Command): void {
  const webhooks = program
    .command('webhooks')
    .description('manage webhooks: signed events that are posted to a URL');
  const add = (words: string, description: string, withJson = addJson) =>
    addRemote(withJson(webhooks.command(words).description(description)));
  add('add <address>', 'add a webhook and print its signing secret, which is not shown again')
    .addOption(
      new Option(
        '--events <names>',
        `comma-separated events, out of ${WEBHOOK_EVENTS.join(', ')} (default: all)`,
      ).argParser(events),
    )
    .option('--description <text>', 'purpose of the webhook')
    .action(addWebhook);
  add('list', 'list webhooks with their id, state, events and address', addListJson).action(list);
  add('remove <id>', 'delete a webhook and its pending deliveries').action(remove);
  add('rotate <id>', 'replace the signing secret and print the new one, which is not shown again').action(
    rotate,
  );
  add('enable <id>', 'send the events to the webhook again').action((id, options) =>
    setActive(id, true, options),
  );
  add('disable <id>', 'stop sending events to the webhook').action((id, options) =>
    setActive(id, false, options),
  );
  add('deliveries <id>', 'list the deliveries of a webhook, newest first', addListJson)
    .addOption(new Option('--state <state>', 'only deliveries in this state').choices(DELIVERY_STATES))
    .action(deliveries);
  add('redeliver <id> <delivery>', 'send a message again').action(redeliver);
  add('test <id>', 'send a test message').action(test);
}

/** @throws InvalidArgumentError */
function events(text: string): WebhookEvent[] {
  const names = [...new Set(text.split(','))];
  const unknown = names.find((name) => !(WEBHOOK_EVENTS as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw new InvalidArgumentError(`${unknown} is not an event; the events are ${WEBHOOK_EVENTS.join(', ')}`);
  return names as WebhookEvent[];
}

async function addWebhook(url: string, { events, description, ...options }: AddOptions): Promise<void> {
  const { api } = await openService(options);
  const webhook = await api.webhooks.create(
    { url, ...(events && { events }), ...(description !== undefined && { description }) },
    { idempotencyKey: crypto.randomUUID() },
  );
  printResult(
    options,
    webhook,
    `${webhook.secret}\n\nAdded webhook ${webhook.id}. The signing secret above is not shown again.`,
  );
}

async function list(options: RemoteOptions & ListOptions): Promise<void> {
  const { api } = await openService(options);
  const { items } = await api.webhooks.list({ page_size: 100 });
  await printList(options, items, { empty: 'No webhooks.', text: describe });
}

function describe(webhooks: Webhook[]): string {
  const cells = webhooks.map((webhook) => [
    ...[webhook.id, stateOf(webhook), webhook.events.join(','), webhook.url],
  ]);
  return table([['ID', 'STATE', 'EVENTS', 'ADDRESS'], ...cells]);
}

async function rotate(id: string, options: RemoteOptions): Promise<void> {
  const { api } = await openService(options);
  const webhook = await api.webhooks.rotate(id);
  printResult(
    options,
    webhook,
    `${webhook.secret}\n\nThe signing secret above is not shown again. Messages are also signed with the previous secret for a day.`,
  );
}

async function setActive(id: string, active: boolean, options: RemoteOptions): Promise<void> {
  const { api } = await openService(options);
  const webhook = await api.webhooks.update(id, { active });
  printResult(options, webhook, `Webhook ${webhook.id} is ${active ? 'enabled' : 'disabled'}.`);
}

async function remove(id: string, options: RemoteOptions): Promise<void> {
  const { api } = await openService(options);
  await api.webhooks.delete(id);
  printResult(options, {}, `Deleted webhook ${id}.`);
}

async function deliveries(id: string, options: DeliveriesOptions): Promise<void> {
  const { api } = await openService(options);
  const { state } = options;
  const { items } = await api.webhooks.deliveries(id, { page_size: 100, ...(state && { state }) });
  await printList(options, items, { empty: 'No deliveries.', text: describeDeliveries });
}

function describeDeliveries(deliveries: WebhookDelivery[]): string {
  const cells = deliveries.map((row) => [
    ...[row.id, row.event, row.state, String(row.attempts), row.created_at, row.next_attempt_at ?? '-'],
    row.last_error ?? '-',
  ]);
  const head = ['ID', 'EVENT', 'STATE', 'ATTEMPTS', 'CREATED', 'NEXT ATTEMPT', 'LAST ERROR'];
  return table([head, ...cells]);
}

async function redeliver(id: string, deliveryId: string, options: RemoteOptions): Promise<void> {
  const { api } = await openService(options);
  const delivery = await api.webhooks.redeliver(id, deliveryId);
  printResult(options, delivery, `Message ${delivery.id} is being sent again.`);
}

async function test(id: string, options: RemoteOptions): Promise<void> {
  const { api } = await openService(options);
  const delivery = await api.webhooks.test(id);
  printResult(
    options,
    delivery,
    `Test message ${delivery.id} is being sent. See its result with phonebooth webhooks deliveries ${id}.`,
  );
}

function stateOf({ active, inactive_cause: cause, failing_since: failing }: Webhook): string {
  if (!active) return `off (${cause})`;
  return failing === null ? 'active' : 'failing';
}
