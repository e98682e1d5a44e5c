import { afterAll, beforeAll, expect, test } from 'vitest';
import { NOT_SERVED } from '../../src/bus/messages.ts';
import { PhoneboothClient } from '../../src/client/phonebooth-client.ts';
import { type ApiRig, startApiRig } from './api-rig.ts';

let rig: ApiRig;
let api: PhoneboothClient;
let key: string;
let sessionId: string;

beforeAll(async () => {
  rig = await startApiRig();
  await rig.report({ id: 'd1' });
  ({ key } = await rig.key());
  api = new PhoneboothClient({ baseUrl: rig.baseUrl, key });
  ({ session_id: sessionId } = await api.connect('d1', { duration: 5 }));
});
afterAll(() => rig[Symbol.asyncDispose]());

const screenshot = () =>
  fetch(`${rig.baseUrl}/sessions/${sessionId}/screenshot`, { headers: { authorization: `Bearer ${key}` } });

test('uses the phone of a session whose host has not reported yet that it is connected', async () => {
  const host = rig.context.bus.serve('host.dial', 'host-1', async ({ ingest, ...hello }) => {
    const link = await rig.links.dial(ingest, hello);
    if (hello.purpose === 'file') link.send(JSON.stringify({ type: 'listing', items: [], hasMore: false }));
    else link.send(Buffer.from('a picture'));
    return {};
  });
  expect((await api.getSession(sessionId)).status).toBe('connecting');
  expect(await (await screenshot()).text()).toBe('a picture');
  expect(await api.listFiles(sessionId)).toMatchObject({ items: [] });
  host.close();
});

test('answers 40014 while the host does not serve the session', async () => {
  const requests = [() => api.listFiles(sessionId), () => api.conditions(sessionId)];
  const failing = () =>
    Promise.reject(new Error(`${NOT_SERVED} ${sessionId}: the session is not connected yet`));
  const { bus } = rig.context;
  const hosts = [bus.serve('host.dial', 'host-1', failing), bus.serve('host.call', 'host-1', failing)];
  for (const request of requests) await expect(request()).rejects.toMatchObject({ code: 40014 });
  expect(await (await screenshot()).json()).toMatchObject({ code: 40014 });
  for (const host of hosts) host.close();
});
