import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { silentLog } from '../../util/log.ts';
import { Traces } from './traces.ts';

interface SpanJson {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status: { code: number };
}

const opened: (() => void)[] = [];

afterEach(() => {
  for (const close of opened.splice(0)) close();
});

/** Receives OTLP over HTTP as JSON: the protocol's `ExportTraceServiceRequest`. */
async function startCollector(status = 200) {
  const spans: SpanJson[] = [];
  const services = new Set<string>();
  const server = createServer(async (request, response) => {
    const body = JSON.parse(Buffer.concat(await request.toArray()).toString());
    for (const { resource, scopeSpans } of body.resourceSpans) {
      services.add(
        resource.attributes.find(({ key }: { key: string }) => key === 'service.name').value.stringValue,
      );
      if (status === 200) spans.push(...scopeSpans.flatMap((scope: { spans: SpanJson[] }) => scope.spans));
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  opened.push(() => server.close());
  return { spans, services, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces` };
}

const times = { startedAt: 1_700_000_000_000, endedAt: 1_700_000_000_250 };

test('exports the steps of two processes as one trace, below the request that created the session', async () => {
  const { url, spans, services } = await startCollector();
  const api = new Traces(url, { role: 'api', version: '1', log: silentLog });
  const agent = new Traces(url, { role: 'agent', version: '1', log: silentLog });
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

test('logs once that the collector rejects traces', async () => {
  const { url } = await startCollector(400);
  const log = { ...silentLog, warn: vi.fn() };
  const traces = new Traces(url, { role: 'api', version: '1', log });
  traces.add({ name: 'connect', sessionId: 'ses_1', outcome: 'ok', ...times });
  await traces[Symbol.asyncDispose]();
  expect(log.warn).toHaveBeenCalledTimes(1);
  expect(log.warn.mock.calls[0]![1]).toContain('traces could not be exported');
});
