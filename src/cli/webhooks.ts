import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  DELIVERY_STATES,
  type DeliveryState,
  WEBHOOK_EVENTS,
  type Webhook,
  type WebhookEvent,
} from '../contract/webhook.ts';
import { print, table } from './output.ts';
import { addRemote, openService, type RemoteOptions } from './remote.ts';

interface AddOptions extends RemoteOptions {
  events?: WebhookEvent[];
  description?: string;
}

interface DeliveriesOptions extends RemoteOptions {
  state?: DeliveryState;
}

/** `phonebooth webhooks`: addresses that the service tells of events, of the key's account. */
export function addWebhooksCommand(program: Command): void {
  const webhooks = program.command('webhooks').description('have events sent to an address, signed');
  const add = (words: string, description: string) =>
    addRemote(webhooks.command(words).description(description)).option('--json', 'print JSON');
  add('add <address>', 'send events there; prints the secret that they are signed with, once')
    .addOption(
      new Option('--events <names>', `of ${WEBHOOK_EVENTS.join(', ')}, with commas (default: all)`).argParser(
        events,
      ),
    )
    .option('--description <text>', 'what it is for')
    .action(addWebhook);
  add('list', 'list webhooks: id, state, address').action(list);
  add('remove <id>', 'delete a webhook with all that waits for it').action(remove);
  add('deliveries <id>', 'list what was sent and what waits to be, newest first')
    .addOption(new Option('--state <state>', 'only these').choices(DELIVERY_STATES))
    .action(deliveries);
  add('redeliver <id> <delivery>', 'send a message once more').action(redeliver);
  add('test <id>', 'send a ping').action(test);
}

/** @throws InvalidArgumentError */
function events(text: string): WebhookEvent[] {
  const names = [...new Set(text.split(','))];
  const unknown = names.find((name) => !(WEBHOOK_EVENTS as readonly string[]).includes(name));
  if (unknown !== undefined) throw new InvalidArgumentError(`must be of ${WEBHOOK_EVENTS.join(', ')}`);
  return names as WebhookEvent[];
}

async function addWebhook(url: string, { events, description, ...options }: AddOptions): Promise<void> {
  const { api } = await openService(options);
  const webhook = await api.webhooks.create(
    { url, ...(events && { events }), ...(description !== undefined && { description }) },
    { idempotencyKey: crypto.randomUUID() },
  );
  if (options.json) return print(JSON.stringify(webhook));
  print(`${webhook.secret}\n\nWebhook ${webhook.id}. The secret is not shown again.`);
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
  print(options.json ? '{}' : `Deleted ${id}.`);
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
  const head = ['ID', 'EVENT', 'STATE', 'ATTEMPTS', 'MADE', 'NEXT ATTEMPT', 'LAST ERROR'];
  print(items.length === 0 ? 'No deliveries.' : table([head, ...cells]));
}

async function redeliver(id: string, deliveryId: string, options: RemoteOptions): Promise<void> {
  const { api } = await openService(options);
  const delivery = await api.webhooks.redeliver(id, deliveryId);
  print(options.json ? JSON.stringify(delivery) : `${delivery.id} is sent again.`);
}

async function test(id: string, options: RemoteOptions): Promise<void> {
  const { api } = await openService(options);
  const delivery = await api.webhooks.test(id);
  if (options.json) return print(JSON.stringify(delivery));
  print(`${delivery.id} is on its way; phonebooth webhooks deliveries ${id} says how it went.`);
}

function stateOf({ active, inactive_cause: cause, failing_since: failing }: Webhook): string {
  if (!active) return `off (${cause})`;
  return failing === null ? 'active' : 'failing';
}
