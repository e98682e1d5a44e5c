import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Api, type Session, succeeded } from '../black-box/kit/api.ts';
import { connected, listAll } from '../black-box/kit/borrow.ts';
import { Controller } from '../black-box/kit/controller.ts';
import { Description } from '../black-box/kit/description.ts';
import { Viewer } from '../black-box/kit/viewer.ts';
import { until } from '../black-box/kit/wait.ts';
import { type Fleet, type FleetProcess, type FleetRole, startFleet } from '../fixtures/fleet.ts';
import { available } from './fleet-rig.ts';

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  links?: { traceId: string; spanId: string }[];
  service: string;
}

const opened = new AsyncDisposableStack();
const spans: Span[] = [];
const members = {} as Record<FleetRole, FleetProcess>;
let fleet: Fleet;
let api: Api;

beforeAll(async () => {
  const url = await startCollector();
  fleet = opened.use(
    await startFleet({ settings: { PHONEBOOTH_TRACES_URL: url, PHONEBOOTH_LOG_LEVEL: 'info' } }),
  );
  for (const role of ['api', 'stream', 'control'] as const) members[role] = await fleet.add(role);
  members.agent = await fleet.addHost('shelf', { PHONEBOOTH_SIMULATED_PHONES: '2' });
  const baseUrl = `${members.api.httpOrigin}/v1`;
  const description = await Description.fetch(baseUrl, undefined);
  api = new Api({ baseUrl, key: fleet.key, ca: undefined, description });
  await available(api, 2);
});
afterAll(() => opened.disposeAsync());

/** Starts a collector that receives OTLP over HTTP, as JSON. */
async function startCollector(): Promise<string> {
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
    for (const { resource, scopeSpans } of body.resourceSpans) {
      const name = resource.attributes.find(({ key }: { key: string }) => key === 'service.name');
      const service: string = name.value.stringValue;
      for (const scope of scopeSpans) spans.push(...scope.spans.map((span: Span) => ({ ...span, service })));
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.defer(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`;
}

async function figures(role: FleetRole): Promise<Map<string, number>> {
  const answer = await fetch(`${members[role].httpOrigin}/metrics`);
  expect(answer.status).toBe(200);
  const lines = (await answer.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

const sumOf = (shown: Map<string, number>, start: string) =>
  [...shown].filter(([name]) => name.startsWith(start)).reduce((sum, [, value]) => sum + value, 0);

test('a session appears in the metrics of every role and as one trace across all of them', async () => {
  const [phone] = await listAll(api);
  const client = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
  const headers = { traceparent: `00-${client.traceId}-${client.spanId}-01` };
  const connecting = succeeded(
    await api.post<Session>(`/devices/${phone!.id}/connect`, { duration: 5 }, { headers }),
  );
  const session = await connected(api, connecting);
  const trust = { ca: await readFile(fleet.caFile, 'utf8') };
  await using viewer = await Viewer.open(session.stream_url, trust);
  await using controller = await Controller.ready(session.control_url, trust);
  await viewer.firstFrame();
  await controller.call('key', { key: 'HOME' });

  const [fromApi, fromStream, fromControl, fromAgent] = await Promise.all(
    (['api', 'stream', 'control', 'agent'] as const).map(figures),
  );
  expect(fromApi!.get('phonebooth_sessions{status="connected"}')).toBe(1);
  expect(fromApi!.get('phonebooth_devices{condition="available"}')).toBe(1);
  expect(fromApi!.get('phonebooth_hosts{state="up"}')).toBe(1);
  expect(fromApi!.get('phonebooth_http_answers_total{operation="devices.connect",code="0"}')).toBe(1);
  expect(fromApi!.get('phonebooth_store_up')).toBe(1);
  expect(fromStream!.get('phonebooth_stream_viewers')).toBe(1);
  expect(fromStream!.get('phonebooth_stream_frames_total')).toBeGreaterThan(0);
  expect(fromControl!.get('phonebooth_control_calls_total')).toBe(1);
  expect(fromAgent!.get('phonebooth_host_leases')).toBe(1);
  expect(fromAgent!.get('phonebooth_host_phones')).toBe(2);
  const first = 'phonebooth_session_step_seconds_count{step="stream.first-frame",outcome="ok"}';
  expect(fromStream!.get(first)).toBe(1);
  for (const shown of [fromApi, fromStream, fromControl, fromAgent]) {
    expect(shown!.get('phonebooth_bus_up')).toBe(1);
    expect(sumOf(shown!, 'process_resident_memory_bytes')).toBeGreaterThan(0);
  }

  succeeded(await api.post(`/sessions/${session.session_id}/disconnect`));
  expect((await figures('api')).get('phonebooth_sessions_ended_total{reason="client"}')).toBe(1);

  const expected = [
    ['phonebooth-api', 'connect'],
    ['phonebooth-api', 'devices.connect'],
    ['phonebooth-api', 'session.connected'],
    ['phonebooth-agent', 'phone.start'],
    ['phonebooth-control', 'control.link'],
    ['phonebooth-control', 'control.ready'],
    ['phonebooth-stream', 'stream.first-frame'],
    ['phonebooth-stream', 'stream.link'],
  ];
  const shown = () => spans.map(({ service, name }) => `${service} ${name}`).sort();
  const all = expected.map((pair) => pair.join(' ')).sort();
  await until('a span of every step', () => shown().length >= all.length);
  expect(shown()).toEqual(all);
  const root = spans.find(({ name }) => name === 'connect')!;
  const request = spans.find(({ name }) => name === 'devices.connect')!;
  expect(request).toMatchObject({ traceId: client.traceId, parentSpanId: client.spanId });
  expect(root.links).toMatchObject([client]);
  const steps = spans.filter((span) => span !== request);
  for (const span of steps) expect(span.traceId).toBe(root.traceId);
  for (const span of steps) if (span !== root) expect(span.parentSpanId).toBe(root.spanId);
});

test('the log contains request and session ids and no secrets', async () => {
  // The phone of the previous test's session must be available again as well.
  await available(api, 2);
  const [phone] = await listAll(api);
  const answer = await api.post<Session>(`/devices/${phone!.id}/connect`, { duration: 5 });
  const session = succeeded(answer);
  const trust = { ca: await readFile(fleet.caFile, 'utf8') };
  await using viewer = await Viewer.open(session.stream_url, trust);
  await viewer.firstFrame();
  succeeded(await api.post(`/sessions/${session.session_id}/disconnect`));
  const logged = () =>
    members.api
      .output()
      .split('\n')
      // The last line may be incomplete.
      .slice(0, -1)
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
  const isEnd = ({ sessionId, endReason }: Record<string, unknown>) =>
    sessionId === session.session_id && endReason === 'client';
  const lines = await until('the end of the session in the log', () => {
    const all = logged();
    return all.some(isEnd) && all;
  });
  expect(lines).toContainEqual(
    expect.objectContaining({ operation: 'devices.connect', code: 0, requestId: expect.any(String) }),
  );
  expect(lines).toContainEqual(
    expect.objectContaining({ sessionId: session.session_id, deviceId: phone!.id, status: 'connecting' }),
  );
  const secrets = [session.stream_url, session.control_url].map(
    (url) => new URL(url).pathname.split('/')[2]!,
  );
  for (const { output: printed } of Object.values(members)) {
    for (const secret of [fleet.key, ...secrets]) expect(printed()).not.toContain(secret);
  }
});

test('a host reports whether it is healthy, and unhealthy while it cannot reach the control plane', async () => {
  const health = async (path: string) => (await fetch(`${members.agent.httpOrigin}${path}`)).status;
  expect([await health('/livez'), await health('/readyz')]).toEqual([200, 200]);
  await fleet.nats.kill();
  await until('the host to detect the outage', async () => (await health('/readyz')) === 503);
  expect(await health('/livez')).toBe(200);
  await fleet.nats.resume();
  await until('the host to recover', async () => (await health('/readyz')) === 200);
});
