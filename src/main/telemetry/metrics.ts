import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { StepName, StepOutcome } from '../../util/steps.ts';

/** Seconds: a step takes 20 ms at best and is given up after 60 s. */
const STEP_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];

/** Gauges whose names end as those of counters do; `nodejs_active_*` without that ending has the same by type. */
const MISNAMED_DEFAULTS = ['resources', 'handles', 'requests'].map((what) => `nodejs_active_${what}_total`);

/** One number of a part's counters: what field it is, and what Prometheus calls it. */
export interface Figure<T> {
  of: keyof T;
  type: 'gauge' | 'counter';
  name: string;
  help: string;
}

/**
 * The figures of this process, as Prometheus reads them. Parts count in plain numbers, which are read when someone
 * asks; only times and codes are told as they happen. No figure names a phone, a session or an account.
 */
export class Metrics {
  readonly contentType: string;
  private readonly registry = new Registry();
  private readonly steps: Histogram<'step' | 'outcome'>;
  private readonly requests: Counter<'operation' | 'code'>;
  private readonly requestSeconds: Histogram<'operation'>;
  private readonly ended: Counter<'reason'>;
  private readonly webhooks: Counter<'outcome'>;
  private readonly refreshes: (() => Promise<void>)[] = [];

  constructor({ version, roles }: { version: string; roles: readonly string[] }) {
    const registers = [this.registry];
    this.contentType = this.registry.contentType;
    collectDefaultMetrics({ register: this.registry });
    for (const name of MISNAMED_DEFAULTS) this.registry.removeSingleMetric(name);
    const info = { name: 'phonebooth_info', help: 'What runs here', registers };
    new Gauge({ ...info, labelNames: ['version', 'roles'] }).set({ version, roles: roles.join(',') }, 1);
    this.steps = new Histogram({
      name: 'phonebooth_session_step_seconds',
      help: 'How long the steps of a session took, from the request to a picture and to control',
      labelNames: ['step', 'outcome'],
      buckets: STEP_BUCKETS,
      registers,
    });
    this.requests = new Counter({
      name: 'phonebooth_http_answers_total',
      help: 'Answers of the HTTP API by operation and code of the envelope',
      labelNames: ['operation', 'code'],
      registers,
    });
    this.requestSeconds = new Histogram({
      name: 'phonebooth_http_request_seconds',
      help: 'How long requests of the HTTP API took',
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
      help: 'Messages to webhooks that this process tried to deliver, by what came of it',
      labelNames: ['outcome'],
      registers,
    });
  }

  webhookTried(outcome: string): void {
    this.webhooks.inc({ outcome });
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

  /** Shows a part's own counters, read when someone asks. */
  show<T>(figures: readonly Figure<T>[], read: () => T): void {
    const registers = [this.registry];
    for (const { of, type, name, help } of figures) {
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

  /** A gauge with one label, whose values `refresh` sets before each reading. */
  labelled(name: string, help: string, label: string): (values: Record<string, number>) => void {
    const gauge = new Gauge({ name, help, labelNames: [label], registers: [this.registry] });
    return (values) => {
      gauge.reset();
      for (const [key, value] of Object.entries(values)) gauge.set({ [label]: key }, value);
    };
  }

  /** Runs before each reading; must bound its own time, and not throw. */
  beforeReading(refresh: () => Promise<void>): void {
    this.refreshes.push(refresh);
  }

  /** The text format of Prometheus, version 0.0.4. */
  async read(): Promise<string> {
    await Promise.all(this.refreshes.map((refresh) => refresh()));
    return this.registry.metrics();
  }
}
