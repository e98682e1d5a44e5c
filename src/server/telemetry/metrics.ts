import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { StepName, StepOutcome } from '../../util/steps.ts';

/** In seconds: a step takes at least 20 ms and times out after 60 s. */
const STEP_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/**
 * How often the lag of the event loop is sampled. prom-client's default of 10 ms wakes an idle process 100 times per
 * second, which is a quarter of its processor time.
 */
const LAG_SAMPLE_MS = 100;

/**
 * Gauges whose names have the suffix of counters. The `nodejs_active_*` metrics without the suffix report the same,
 * by type.
 */
const MISNAMED_DEFAULTS = ['resources', 'handles', 'requests'].map((what) => `nodejs_active_${what}_total`);

/** A counter or gauge of a component: the field that holds it, and its Prometheus name. */
export interface ComponentMetric<T> {
  of: keyof T;
  type: 'gauge' | 'counter';
  name: string;
  help: string;
}

/**
 * The metrics of this process in Prometheus format. Components count in plain numbers, which are read at each scrape;
 * only durations and codes are recorded as they occur. No metric has a phone, session or account as a label.
 */
export class Metrics {
  readonly contentType: string;
  private readonly registry = new Registry();
  private readonly steps: Histogram<'step' | 'outcome'>;
  private readonly requests: Counter<'operation' | 'code'>;
  private readonly requestSeconds: Histogram<'operation'>;
  private readonly ended: Counter<'reason'>;
  private readonly webhooks: Counter<'outcome'>;
  private readonly artifacts: Counter<'outcome'>;
  private readonly artifactBytes: Counter;
  private readonly refreshes: (() => Promise<void>)[] = [];

  constructor({ version, roles }: { version: string; roles: readonly string[] }) {
    const registers = [this.registry];
    this.contentType = this.registry.contentType;
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: LAG_SAMPLE_MS });
    for (const name of MISNAMED_DEFAULTS) this.registry.removeSingleMetric(name);
    const info = { name: 'phonebooth_info', help: 'Version and roles of this process', registers };
    new Gauge({ ...info, labelNames: ['version', 'roles'] }).set({ version, roles: roles.join(',') }, 1);
    this.steps = new Histogram({
      name: 'phonebooth_session_step_seconds',
      help: 'Duration of the steps of a session, from the request to the first frame and to control',
      labelNames: ['step', 'outcome'],
      buckets: STEP_BUCKETS,
      registers,
    });
    this.requests = new Counter({
      name: 'phonebooth_http_answers_total',
      help: 'Responses of the HTTP API, by operation and envelope code',
      labelNames: ['operation', 'code'],
      registers,
    });
    this.requestSeconds = new Histogram({
      name: 'phonebooth_http_request_seconds',
      help: 'Duration of requests to the HTTP API',
      labelNames: ['operation'],
      buckets: REQUEST_BUCKETS,
      registers,
    });
    this.ended = new Counter({
      name: 'phonebooth_sessions_ended_total',
      help: 'Sessions that this process ended, by reason',
      labelNames: ['reason'],
      registers,
    });
    this.webhooks = new Counter({
      name: 'phonebooth_webhook_attempts_total',
      help: 'Webhook delivery attempts of this process, by result',
      labelNames: ['outcome'],
      registers,
    });
    this.artifacts = new Counter({
      name: 'phonebooth_artifact_uploads_total',
      help: 'Uploads of artifacts from hosts to this process, by result',
      labelNames: ['outcome'],
      registers,
    });
    this.artifactBytes = new Counter({
      name: 'phonebooth_artifact_stored_bytes_total',
      help: 'Bytes of artifacts that this process stored',
      registers,
    });
  }

  webhookTried(outcome: string): void {
    this.webhooks.inc({ outcome });
  }

  artifactReceived(outcome: string, bytes: number): void {
    this.artifacts.inc({ outcome });
    this.artifactBytes.inc(bytes);
  }

  observeStep(step: StepName, outcome: StepOutcome, seconds: number): void {
    this.steps.observe({ step, outcome }, seconds);
  }

  answered({ operation, code, seconds }: { operation: string; code: number; seconds: number }): void {
    this.requests.inc({ operation, code });
    this.requestSeconds.observe({ operation }, seconds);
  }

  sessionEnded(reason: string): void {
    this.ended.inc({ reason });
  }

  /** Exports the counters and gauges of a component. `read` is called at each scrape. */
  register<T>(definitions: readonly ComponentMetric<T>[], read: () => T): void {
    const registers = [this.registry];
    for (const { of, type, name, help } of definitions) {
      const value = () => Number(read()[of]);
      if (type === 'gauge') {
        const gauge: Gauge = new Gauge({ name, help, registers, collect: () => gauge.set(value()) });
      } else {
        const counter: Counter = new Counter({
          name,
          help,
          registers,
          collect: () => {
            counter.reset();
            counter.inc(value());
          },
        });
      }
    }
  }

  /** Creates a gauge with one label, and returns a function that sets its values. */
  labelled(name: string, help: string, label: string): (values: Record<string, number>) => void {
    const gauge = new Gauge({ name, help, labelNames: [label], registers: [this.registry] });
    return (values) => {
      gauge.reset();
      for (const [key, value] of Object.entries(values)) gauge.set({ [label]: key }, value);
    };
  }

  /** Registers a function that runs before each scrape. It must limit its own duration and must not throw. */
  beforeScrape(refresh: () => Promise<void>): void {
    this.refreshes.push(refresh);
  }

  /** Returns the metrics in Prometheus' text format, version 0.0.4. */
  async read(): Promise<string> {
    await Promise.all(this.refreshes.map((refresh) => refresh()));
    return this.registry.metrics();
  }
}
