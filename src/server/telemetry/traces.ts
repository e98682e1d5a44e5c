import { createHash } from 'node:crypto';
import { ROOT_CONTEXT, SpanStatusCode, TraceFlags, type Tracer, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
  type SpanExporter,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Log } from '../../util/log.ts';
import type { StepName, StepOutcome } from '../../util/steps.ts';

/** The request that creates the session. Its span is the parent of all others. */
const ROOT: StepName = 'connect';
const EXPORT_TIMEOUT_MS = 10_000;

/**
 * Sends each step of a session's start as a span to an OpenTelemetry collector (OTLP over HTTP, JSON). The trace id
 * and the root span id are derived from the session's id, so that every process of a fleet adds its spans to the same
 * trace without coordination. Spans wait in a bounded queue and are dropped when it is full.
 */
export class Traces implements AsyncDisposable {
  private readonly provider: TracerProvider;
  private readonly tracer: Tracer;
  private readonly ids = new SessionIds();

  /** @param url of the collector, including the path */
  constructor(url: string, { role, version, log }: { role: string; version: string; log: Log }) {
    const exporter = logOutages(new OTLPTraceExporter({ url, timeoutMillis: EXPORT_TIMEOUT_MS }), log);
    this.provider = new TracerProvider({
      idGenerator: this.ids,
      resource: resourceFromAttributes({
        'service.name': `phonebooth-${role}`,
        'service.namespace': 'phonebooth',
        'service.version': version,
      }),
      spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: EXPORT_TIMEOUT_MS })],
    });
    this.tracer = this.provider.getTracer('phonebooth', version);
  }

  /** Times are Unix milliseconds on this machine's clock. */
  add(step: { name: StepName; sessionId: string; outcome: StepOutcome; startedAt: number; endedAt: number }) {
    const { name, sessionId, outcome, startedAt, endedAt } = step;
    const ids = idsOf(sessionId);
    const isRoot = name === ROOT;
    this.ids.next = isRoot ? ids : null;
    const span = this.tracer.startSpan(
      name,
      {
        startTime: startedAt,
        root: isRoot,
        attributes: { 'phonebooth.session_id': sessionId, 'phonebooth.outcome': outcome },
      },
      trace.setSpanContext(ROOT_CONTEXT, { ...ids, traceFlags: TraceFlags.SAMPLED, isRemote: true }),
    );
    if (outcome === 'failed') span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(endedAt);
  }

  /** Sends the queued spans, for ten seconds at most. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.provider.shutdown().catch(() => {});
  }
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
