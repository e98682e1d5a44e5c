import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  DELIVERY_STATES,
  type DeliveryState,
  WEBHOOK_EVENTS,
  type Webhook,
  type WebhookEvent,
} from '../contract/events/webhook.ts';
import { print, table } from './output.ts';
import { addRemote, openService, type RemoteOptions } from './remote.ts';

interface AddOptions extends RemoteOptions {
  events?: WebhookEvent[];
  description?: string;
}

interface DeliveriesOptions extends RemoteOptions {
  state?: DeliveryState;
}

/** `phonebooth webhooks`: manages the addresses to which the service sends the events of the key's account. */
export function addWebhooksCommand(program: Command): void {
  const webhooks = program
    .command('webhooks')
    .description('manage webhooks: signed events that are posted to a URL');
  const add = (words: string, description: string) =>
    addRemote(webhooks.command(words).description(description)).option('--json', 'print JSON');
  add('add <address>', 'add a webhook and print its signing secret, which is not shown again')
    .addOption(
      new Option(
        '--events <names>',
        `comma-separated events, out of ${WEBHOOK_EVENTS.join(', ')} (default: all)`,
      ).argParser(events),
    )
    .option('--description <text>', 'purpose of the webhook')
    .action(addWebhook);
  add('list', 'list webhooks with their id, state, events and address').action(list);
  add('remove <id>', 'delete a webhook and its pending deliveries').action(remove);
  add('deliveries <id>', 'list the deliveries of a webhook, newest first')
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
  if (options.json) return print(JSON.stringify(webhook));
  print(`${webhook.secret}\n\nAdded webhook ${webhook.id}. The signing secret above is not shown again.`);
}

async function list(options: RemoteOptions): Promise<void> {
  const { api } = await openService(options);
  const { items } = await api.webhooks.list({ page_size: 100 });
  if (options.json) return print(JSON.stringify(items));
  const cells = items.map((webhook) => [webhook.id, stateOf(webhook), webhook.events.join(','), webhook.url]);
  print(items.length === 0 ? 'No webhooks.' : table([['ID', 'STATE', 'EVENTS', 'ADDRESS'], ...cells]));
}

async function remove(id: string, options: RemoteOptions): Promise<void> {
  const { api } = await openService(options);
  await api.webhooks.delete(id);
  print(options.json ? '{}' : `Deleted webhook ${id}.`);
}

async function deliveries(id: string, options: DeliveriesOptions): Promise<void> {
  const { api } = await openService(options);
  const { state } = options;
  const { items } = await api.webhooks.deliveries(id, { page_size: 100, ...(state && { state }) });
  if (options.json) return print(JSON.stringify(items));
  const cells = items.map((row) => [
    ...[row.id, row.event, row.state, String(row.attempts), row.created_at, row.next_attempt_at ?? '-'],
    row.last_error ?? '-',
  ]);
  const head = ['ID', 'EVENT', 'STATE', 'ATTEMPTS', 'CREATED', 'NEXT ATTEMPT', 'LAST ERROR'];
  print(items.length === 0 ? 'No deliveries.' : table([head, ...cells]));
}

async function redeliver(id: string, deliveryId: string, options: RemoteOptions): Promise<void> {
  const { api } = await openService(options);
  const delivery = await api.webhooks.redeliver(id, deliveryId);
  print(options.json ? JSON.stringify(delivery) : `Message ${delivery.id} is being sent again.`);
}

async function test(id: string, options: RemoteOptions): Promise<void> {
  const { api } = await openService(options);
  const delivery = await api.webhooks.test(id);
  if (options.json) return print(JSON.stringify(delivery));
  print(
    `Test message ${delivery.id} is being sent. See its result with phonebooth webhooks deliveries ${id}.`,
  );
}

function stateOf({ active, inactive_cause: cause, failing_since: failing }: Webhook): string {
  if (!active) return `off (${cause})`;
  return failing === null ? 'active' : 'failing';
}
