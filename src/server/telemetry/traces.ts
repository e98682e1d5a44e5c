import { createHash } from 'node:crypto';
import {
  defaultTextMapGetter,
  type Link,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPExporterBase } from '@opentelemetry/otlp-exporter-base';
import {
  convertLegacyHttpOptions,
  createOtlpHttpExportDelegate,
} from '@opentelemetry/otlp-exporter-base/node-http';
import {
  JsonTraceSerializer,
  ProtobufTraceSerializer,
  TraceExporterMetricsHelper,
} from '@opentelemetry/otlp-transformer';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { AnsweredRequest } from '../../api/server.ts';
import type { Log } from '../../util/log.ts';
import type { ClientTrace, StepName, StepOutcome } from '../../util/steps.ts';
import type { TracesConfig } from '../traces-config.ts';

/** The request that creates the session. Its span is the parent of all others. */
const ROOT: StepName = 'connect';
const EXPORT_TIMEOUT_MS = 10_000;

const PROPAGATOR = new W3CTraceContextPropagator();

/**
 * Sends each step of a session's start as a span to an OpenTelemetry collector (OTLP over HTTP). The trace id and the
 * root span id are derived from the session's id, so that every process of a fleet adds its spans to the same trace
 * without coordination. The root span links to the trace of the client that started the session. Requests of clients
 * with a trace continue that trace. Spans wait in a bounded queue and are dropped when it is full.
 *
 * The exporter and the resource read the variables of OpenTelemetry from the environment themselves, so that they mean
 * what its specification says.
 */
export class Traces implements AsyncDisposable {
  private readonly provider: TracerProvider;
  private readonly tracer: Tracer;
  private readonly ids = new SessionIds();

  constructor(
    { url, protocol }: TracesConfig,
    { role, version, log }: { role: string; version: string; log: Log },
  ) {
    const exporter = logOutages(createExporter({ url, protocol }), log);
    const own = resourceFromAttributes({
      'service.name': `phonebooth-${role}`,
      'service.namespace': 'phonebooth',
      'service.version': version,
    });
    this.provider = new TracerProvider({
      idGenerator: this.ids,
      resource: own.merge(detectResources({ detectors: [envDetector] })),
      spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: EXPORT_TIMEOUT_MS })],
    });
    this.tracer = this.provider.getTracer('phonebooth', version);
  }

  /** Times are Unix milliseconds on this machine's clock. */
  add(step: {
    name: StepName;
    sessionId: string;
    outcome: StepOutcome;
    startedAt: number;
    endedAt: number;
    /** The client's trace, for the request that creates the session. */
    client?: ClientTrace | undefined;
  }): void {
    const { name, sessionId, outcome, startedAt, endedAt, client } = step;
    const ids = idsOf(sessionId);
    const isRoot = name === ROOT;
    this.ids.next = isRoot ? ids : null;
    const span = this.tracer.startSpan(
      name,
      {
        startTime: startedAt,
        root: isRoot,
        links: linksTo(client),
        attributes: { 'phonebooth.session_id': sessionId, 'phonebooth.outcome': outcome },
      },
      trace.setSpanContext(ROOT_CONTEXT, { ...ids, traceFlags: TraceFlags.SAMPLED, isRemote: true }),
    );
    this.ids.next = null;
    if (outcome === 'failed') span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(endedAt);
  }

  /** Adds a request to the trace that its client is recording. Other requests are not traced. */
  addRequest({ client: headers, operation, method, route, status, code, seconds }: AnsweredRequest): void {
    const client = contextOf(headers);
    if (!client || !isSampled(client)) return;
    const endedAt = Date.now();
    const span = this.tracer.startSpan(
      operation,
      {
        kind: SpanKind.SERVER,
        startTime: endedAt - seconds * 1000,
        attributes: {
          'http.request.method': method,
          'http.route': route,
          'http.response.status_code': status,
          'phonebooth.code': code,
        },
      },
      trace.setSpanContext(ROOT_CONTEXT, client),
    );
    // OpenTelemetry's conventions for servers: only 5xx is an error of the server.
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(endedAt);
  }

  /** Sends the queued spans, for ten seconds at most. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.provider.shutdown().catch(() => {});
  }
}

function contextOf(headers: ClientTrace): SpanContext | undefined {
  return trace.getSpanContext(PROPAGATOR.extract(ROOT_CONTEXT, headers, defaultTextMapGetter));
}

const isSampled = ({ traceFlags }: SpanContext) => (traceFlags & TraceFlags.SAMPLED) !== 0;

function linksTo(client: ClientTrace = {}): Link[] {
  const context = contextOf(client);
  return context && isSampled(context) ? [{ context }] : [];
}

interface Ids {
  traceId: string;
  spanId: string;
}

function idsOf(sessionId: string): Ids {
  const hash = createHash('sha256').update(`trace of ${sessionId}`).digest('hex');
  return { traceId: hash.slice(0, 32), spanId: hash.slice(32, 48) };
}

class SessionIds implements IdGenerator {
  /** The ids of the next span; null: random ids. */
  next: Ids | null = null;
  private readonly random = new RandomIdGenerator();

  generateTraceId(): string {
    return this.next?.traceId ?? this.random.generateTraceId();
  }

  generateSpanId(): string {
    return this.next?.spanId ?? this.random.generateSpanId();
  }
}

/** Identifies the exporter in the SDK's metrics about itself. */
const EXPORTER_TYPES = {
  'http/json': 'otlp_http_json_span_exporter',
  'http/protobuf': 'otlp_http_span_exporter',
};

/** Creates the exporter of the SDK for either encoding. It reads OTEL_EXPORTER_OTLP_* for everything but the URL. */
function createExporter({ url, protocol }: TracesConfig): SpanExporter {
  const isJson = protocol === 'http/json';
  const headers = { 'Content-Type': isJson ? 'application/json' : 'application/x-protobuf' };
  const options = convertLegacyHttpOptions(url === null ? {} : { url }, 'TRACES', 'v1/traces', headers);
  const serializer = isJson ? JsonTraceSerializer : ProtobufTraceSerializer;
  const type = EXPORTER_TYPES[protocol];
  const noMeters = undefined;
  return new OTLPExporterBase(
    createOtlpHttpExportDelegate(options, serializer, type, TraceExporterMetricsHelper, noMeters),
  );
}

/** Logs once when the collector does not accept spans, and once when it accepts them again. */
function logOutages(exporter: SpanExporter, log: Log): SpanExporter {
  let isFailing = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        // ExportResultCode.SUCCESS
        const failed = result.code !== 0;
        if (failed && !isFailing)
          log.warn({ reason: result.error?.message }, 'traces could not be exported and are dropped');
        if (!failed && isFailing) log.warn({}, 'traces are exported again');
        isFailing = failed;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: () => exporter.forceFlush?.() ?? Promise.resolve(),
  };
}
