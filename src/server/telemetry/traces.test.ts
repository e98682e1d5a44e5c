import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { silentLog } from '../../util/log.ts';
import type { TracesConfig } from '../traces-config.ts';
import { Traces } from './traces.ts';

interface SpanJson {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status: { code: number };
  kind: number;
  links?: { traceId: string; spanId: string }[];
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
}

const opened: (() => void)[] = [];

afterEach(() => {
  vi.unstubAllEnvs();
  for (const close of opened.splice(0)) close();
});

/** Receives OTLP over HTTP as JSON: the protocol's `ExportTraceServiceRequest`. */
async function startCollector(status = 200) {
  const spans: SpanJson[] = [];
  const services = new Set<string>();
  const requests: { path: string; headers: IncomingHttpHeaders; body: Buffer }[] = [];
  const attributes: Record<string, string> = {};
  const server = createServer(async (request, response) => {
    const bytes = Buffer.concat(await request.toArray());
    requests.push({ path: request.url!, headers: request.headers, body: bytes });
    if (request.headers['content-type'] !== 'application/json') return response.end();
    const body = JSON.parse(bytes.toString());
    for (const { resource, scopeSpans } of body.resourceSpans) {
      for (const { key, value } of resource.attributes) attributes[key] = value.stringValue;
      services.add(
        resource.attributes.find(({ key }: { key: string }) => key === 'service.name').value.stringValue,
      );
      if (status === 200) spans.push(...scopeSpans.flatMap((scope: { spans: SpanJson[] }) => scope.spans));
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push(() => server.close());
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { spans, services, requests, attributes, origin, url: `${origin}/v1/traces` };
}

const times = { startedAt: 1_700_000_000_000, endedAt: 1_700_000_000_250 };

test('exports the steps of two processes as one trace, below the request that created the session', async () => {
  const { url, spans, services } = await startCollector();
  const api = new Traces({ url, protocol: 'http/json' }, { role: 'api', version: '1', log: silentLog });
  const agent = new Traces({ url, protocol: 'http/json' }, { role: 'agent', version: '1', log: silentLog });
  agent.add({ name: 'phone.start', sessionId: 'ses_1', outcome: 'failed', ...times });
  api.add({ name: 'connect', sessionId: 'ses_1', outcome: 'ok', ...times });
  api.add({ name: 'session.connected', sessionId: 'ses_1', outcome: 'ok', ...times });
  api.add({ name: 'connect', sessionId: 'ses_2', outcome: 'ok', ...times });
  await Promise.all([api[Symbol.asyncDispose](), agent[Symbol.asyncDispose]()]);

  expect([...services].sort()).toEqual(['phonebooth-agent', 'phonebooth-api']);
  const root = spans.find(({ name }) => name === 'connect')!;
  expect(root.parentSpanId ?? '').toBe('');
  expect(BigInt(root.endTimeUnixNano) - BigInt(root.startTimeUnixNano)).toBe(250_000_000n);
  const others = spans.filter(({ name }) => name !== 'connect');
  expect(others.map(({ name }) => name).sort()).toEqual(['phone.start', 'session.connected']);
  for (const span of others) {
    expect(span).toMatchObject({ traceId: root.traceId, parentSpanId: root.spanId });
  }
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(4);
  expect(spans.find(({ name }) => name === 'phone.start')!.status.code).toBe(2);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(2);
});

const CLIENT = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' };
const traceparent = (flags: string) => `00-${CLIENT.traceId}-${CLIENT.spanId}-${flags}`;
const connect = {
  ...{ operation: 'devices.connect', method: 'POST', route: '/v1/devices/:device_id/connect' },
  ...{ status: 200, code: 0, seconds: 0.25 },
};

test('continues the trace of a client that is recording one, and links the session to it', async () => {
  const { url, spans } = await startCollector();
  const traces = new Traces({ url, protocol: 'http/json' }, { role: 'api', version: '1', log: silentLog });
  const client = { traceparent: traceparent('01') };
  traces.add({ name: 'connect', sessionId: 'ses_1', outcome: 'ok', client, ...times });
  traces.addRequest({ ...connect, client });
  traces.addRequest({ ...connect, client, status: 503, code: 50300 });
  for (const other of [{}, { traceparent: traceparent('00') }, { traceparent: 'not a trace' }])
    traces.addRequest({ ...connect, client: other });
  await traces[Symbol.asyncDispose]();
  const [session, request, failed, ...others] = spans;
  expect(others).toEqual([]);
  expect(session).toMatchObject({ name: 'connect', links: [CLIENT] });
  expect(session!.traceId).not.toBe(CLIENT.traceId);
  const { traceId, spanId: parentSpanId } = CLIENT;
  expect(request).toMatchObject({
    name: 'devices.connect',
    kind: 2,
    traceId,
    parentSpanId,
    status: { code: 0 },
  });
  expect(BigInt(request!.endTimeUnixNano) - BigInt(request!.startTimeUnixNano)).toBe(250_000_000n);
  expect(request!.attributes).toContainEqual({ key: 'http.route', value: { stringValue: connect.route } });
  expect(failed).toMatchObject({ traceId, parentSpanId, status: { code: 2 } });
});

test('applies the variables of OpenTelemetry to the collector and to the resource', async () => {
  const { origin, requests, attributes } = await startCollector();
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', `${origin}/collector`);
  vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'x-tenant=phones');
  vi.stubEnv('OTEL_SERVICE_NAME', 'lab');
  vi.stubEnv('OTEL_RESOURCE_ATTRIBUTES', 'deployment.environment.name=test,service.namespace=farm');
  const send = async (protocol: TracesConfig['protocol']) => {
    const options = { role: 'api', version: '1', log: silentLog };
    await using traces = new Traces({ url: null, protocol }, options);
    traces.add({ name: 'connect', sessionId: 'ses_1', outcome: 'ok', ...times });
  };
  await send('http/json');
  expect(requests[0]).toMatchObject({ path: '/collector/v1/traces', headers: { 'x-tenant': 'phones' } });
  expect(attributes).toMatchObject({
    'service.name': 'lab',
    'service.namespace': 'farm',
    'service.version': '1',
    'deployment.environment.name': 'test',
  });
  await send('http/protobuf');
  expect(requests[1]!.headers['content-type']).toBe('application/x-protobuf');
  expect(requests[1]!.body.toString('latin1')).toContain('service.name\x12\x05\n\x03lab');
});

test('logs once that the collector rejects traces', async () => {
  const { url } = await startCollector(400);
  const log = { ...silentLog, warn: vi.fn() };
  const traces = new Traces({ url, protocol: 'http/json' }, { role: 'api', version: '1', log });
  traces.add({ name: 'connect', sessionId: 'ses_1', outcome: 'ok', ...times });
  await traces[Symbol.asyncDispose]();
  expect(log.warn).toHaveBeenCalledTimes(1);
  expect(log.warn.mock.calls[0]![1]).toContain('traces could not be exported');
});
