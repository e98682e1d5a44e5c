import type { AnsweredRequest } from '../../api/server.ts';
import type { Log } from '../../util/log.ts';
import type { StepName, StepOutcome, Steps } from '../../util/steps.ts';
import type { Config } from '../config.ts';
import { isAllInOne, type Role } from '../roles.ts';
import type { TracesConfig } from '../traces-config.ts';
import { VERSION } from '../version.ts';
import { Metrics } from './metrics.ts';
import type { Traces } from './traces.ts';

/** Metrics for Prometheus and, if configured, traces of this process. */
export interface Telemetry extends AsyncDisposable {
  metrics: Metrics;
  steps: Steps;
  /** Adds an answered request to the trace of its client. */
  traceRequest(request: AnsweredRequest): void;
}

export async function openTelemetry(config: Config, roles: readonly Role[], log: Log): Promise<Telemetry> {
  const metrics = new Metrics({ version: VERSION, roles });
  const role = isAllInOne(roles) ? 'all' : roles.join('-');
  const traces = config.traces === null ? null : await openTraces(config.traces, role, log);
  return {
    metrics,
    steps: timedSteps(metrics, traces),
    traceRequest: (request) => traces?.addRequest(request),
    [Symbol.asyncDispose]: async () => traces?.[Symbol.asyncDispose](),
  };
}

/** Loaded on demand: most deployments have no collector. */
async function openTraces(config: TracesConfig, role: string, log: Log): Promise<Traces> {
  const { Traces } = await import('./traces.ts');
  return new Traces(config, { role, version: VERSION, log });
}

/** Measures each step once, for both metrics and traces. */
function timedSteps(metrics: Pick<Metrics, 'observeStep'>, traces: Pick<Traces, 'add'> | null): Steps {
  return {
    begin: (name: StepName, sessionId: string, { startedMsAgo = 0, client } = {}) => {
      const began = performance.now() - startedMsAgo;
      const startedAt = Date.now() - startedMsAgo;
      let ended = false;
      const end = (outcome: StepOutcome = 'ok') => {
        if (ended) return;
        ended = true;
        const tookMs = performance.now() - began;
        metrics.observeStep(name, outcome, tookMs / 1000);
        traces?.add({ name, sessionId, outcome, startedAt, endedAt: startedAt + tookMs, client });
      };
      return { end };
    },
  };
}
