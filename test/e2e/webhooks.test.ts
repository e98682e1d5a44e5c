import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PhoneboothClient } from '../../src/client/phonebooth-client.ts';
import { Api, type Device, type Page, type Session, succeeded } from '../black-box/kit/api.ts';
import { Description } from '../black-box/kit/description.ts';
import { until } from '../black-box/kit/wait.ts';
import { freePort } from '../fixtures/free-port.ts';
import { type Service, startService } from '../fixtures/service.ts';
import { sharedPostgres } from '../fixtures/shared-postgres.ts';
import { expectedSignature, WebhookReceiver } from '../fixtures/webhook-receiver.ts';

const SETTINGS = {
  PHONEBOOTH_WEBHOOKS_PRIVATE_NETWORKS: 'on',
  PHONEBOOTH_SIMULATED_PHONES: '1',
  PHONEBOOTH_LOG_LEVEL: 'debug',
  PHONEBOOTH_API_KEY: 'pb_the-same-key-for-all-processes-of-it',
};
const EXAMPLE = fileURLToPath(new URL('../../examples/webhook-receiver.ts', import.meta.url));
/** Covers a claim's lease and one poll for due deliveries, in ms. */
const TAKEOVER_MS = 60_000;

const opened = new AsyncDisposableStack();
afterAll(() => opened.disposeAsync());

async function serve(
  databaseUrl?: string,
): Promise<{ service: Service; client: PhoneboothClient; api: Api }> {
  const service = opened.use(await startService({ databaseUrl, settings: SETTINGS }));
  const { baseUrl, key } = service;
  const description = await Description.fetch(baseUrl, undefined);
  return {
    service,
    client: new PhoneboothClient({ baseUrl, key }),
    api: new Api({ baseUrl, key, ca: undefined, description }),
  };
}

describe('a service with a webhook', () => {
  let running: Awaited<ReturnType<typeof serve>>;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    running = await serve();
    receiver = opened.use(await WebhookReceiver.start());
  });

  test('delivers the events of a session from its connect to its end, and logs no secret', async () => {
    const { api, service } = running;
    const { id, secret } = succeeded(await api.post('/webhooks', { url: receiver.url }));
    const phone = await until('an available phone', async () => {
      const { items } = succeeded(await api.get<Page<Device>>('/devices?status=available'));
      return items[0];
    });
    const session = succeeded(await api.post<Session>(`/devices/${phone.id}/connect`, { duration: 5 }));
    const delivered = (status: string) =>
      until(`a delivery of ${status}`, () =>
        receiver.ofType('session.changed').find(({ message: { data } }) => data.status === status),
      );
    await delivered('connected');
    succeeded(await api.post(`/sessions/${session.session_id}/disconnect`));
    const end = await delivered('disconnected');
    expect(end.message.data).toMatchObject({ session_id: session.session_id, end_reason: 'client' });
    expect(end.headers['webhook-signature']).toBe(expectedSignature(secret, end));
    const isDone = ({ state }: { state: string }) => state === 'delivered';
    await until('all messages to be delivered', async () =>
      succeeded(await api.get(`/webhooks/${id}/deliveries`)).items.every(isDone),
    );
    const metrics = (await api.fetch('/metrics')).bytes.toString();
    expect(metrics).toMatch(/phonebooth_webhook_attempts_total\{outcome="delivered"\} [1-9]/);
    expect(metrics).toMatch(/phonebooth_webhook_pending \d/);
    await until('the log line', () => service.output().includes('webhook delivery attempted'));
    for (const word of [secret, secret.slice(6), 'a-secret-of-the-account', 'webhook-signature'])
      expect(service.output()).not.toContain(word);
    expect((await api.get('/webhooks')).bytes.toString()).not.toContain(secret);
    succeeded(await api.request('DELETE', `/webhooks/${id}`));
  });

  test('can be managed on the command line', async () => {
    const { service } = running;
    const command = async (...args: string[]) => {
      const { code, stdout, stderr } = await service.command(
        'webhooks',
        ...args,
        '--url',
        service.httpOrigin,
      );
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      return stdout;
    };
    const added = await command('add', receiver.url, '--events', 'session.changed', '--description', 'CI');
    expect(added).toMatch(/^whsec_\S+\n\nAdded webhook hook_/);
    const id = /hook_[\w-]+/.exec(added)![0];
    expect(await command('list')).toContain(id);
    const ping = JSON.parse(await command('test', id, '--json'));
    await until('the ping', () => receiver.ofType('ping').length === 1);
    await until('the attempt to be recorded', async () =>
      (await command('deliveries', id)).match(new RegExp(`${ping.id} +ping +delivered +1`)),
    );
    await command('redeliver', id, ping.id);
    await until('the ping to be repeated', () => receiver.ofType('ping').length === 2);
    await command('remove', id);
    expect(await command('list')).toContain('No webhooks.');
    const wrong = await service.command('webhooks', 'add', receiver.url, '--events', 'session.ended');
    expect(wrong.code).toBe(2);
  });

  test('works with the example receiver, which rejects messages signed with another secret', async () => {
    const { client } = running;
    const port = await freePort();
    const webhook = await client.webhooks.create({ url: `http://127.0.0.1:${port}/` });
    const env = { ...process.env, WEBHOOK_SECRET: webhook.secret!, PORT: String(port) };
    const example = spawn(process.execPath, [EXAMPLE], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    opened.defer(() => void example.kill());
    let printed = '';
    example.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
    await until('the example to listen', () => printed.includes('listening'));
    const stateOf = async (id: string) =>
      (await client.webhooks.deliveries(webhook.id)).items.find((row) => row.id === id)!;
    const ping = await client.webhooks.test(webhook.id);
    await until('the example to print it', () => printed.includes('ping {}'));
    await until('the ping to be delivered', async () => (await stateOf(ping.id)).state === 'delivered');
    const forged = await fetch(`http://127.0.0.1:${port}/`, {
      method: 'POST',
      body: '{}',
      headers: { 'webhook-id': 'x', 'webhook-timestamp': '1', 'webhook-signature': 'v1,AAAA' },
    });
    expect(forged.status).toBe(400);
    await until('the rejection', () => /rejected: .*signature/.test(printed));
    await client.webhooks.delete(webhook.id);
    const gone = once(example, 'exit');
    example.kill();
    await gone;
  });

  test('delivers pending messages after kill -9 with the same id', async () => {
    const { client, service } = running;
    receiver.received.length = 0;
    receiver.answers = ['hang', 204];
    const { id } = await client.webhooks.create({ url: receiver.url, events: ['session.changed'] });
    const ping = await client.webhooks.test(id);
    await until('the ping to be pending', () => receiver.received.length === 1);
    await service.kill9();
    await service.restart();
    await until('the ping to be repeated', () => receiver.received.length === 2, { deadlineMs: TAKEOVER_MS });
    expect(receiver.received.map((received) => received.id)).toEqual([ping.id, ping.id]);
    await until('the ping to be delivered', async () => {
      const { items } = await client.webhooks.deliveries(id);
      return items.find(({ state, attempts }) => state === 'delivered' && attempts === 2);
    });
  });
});

test('delivers messages that a killed process had started to send', async () => {
  const databaseUrl = await sharedPostgres.createDatabase();
  const receiver = opened.use(await WebhookReceiver.start());
  receiver.answers = ['hang', 204];
  const first = await serve(databaseUrl);
  const { id } = await first.client.webhooks.create({ url: receiver.url, events: ['session.changed'] });
  const ping = await first.client.webhooks.test(id);
  await until('the ping to be pending', () => receiver.received.length === 1);
  const second = await serve(databaseUrl);
  await first.service.kill9();
  await until('the ping to be repeated', () => receiver.received.length === 2, { deadlineMs: TAKEOVER_MS });
  expect(receiver.received.map((received) => received.id)).toEqual([ping.id, ping.id]);
  await until('the ping to be delivered', async () => {
    const { items } = await second.client.webhooks.deliveries(id);
    return items.find(({ state }) => state === 'delivered');
  });
});
