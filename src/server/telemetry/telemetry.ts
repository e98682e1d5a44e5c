import type { Log } from '../../util/log.ts';
import type { StepName, StepOutcome, Steps } from '../../util/steps.ts';
import type { Config } from '../config.ts';
import { isAllInOne, type Role } from '../roles.ts';
import { VERSION } from '../version.ts';
import { Metrics } from './metrics.ts';
import type { Traces } from './traces.ts';

/** Metrics for Prometheus and, if configured, traces of this process. */
export interface Telemetry extends AsyncDisposable {
  metrics: Metrics;
  steps: Steps;
}

export async function openTelemetry(config: Config, roles: readonly Role[], log: Log): Promise<Telemetry> {
  const metrics = new Metrics({ version: VERSION, roles });
  const role = isAllInOne(roles) ? 'all' : roles.join('-');
  const traces = config.tracesUrl === null ? null : await openTraces(config.tracesUrl, role, log);
  return {
    metrics,
    steps: timedSteps(metrics, traces),
    [Symbol.asyncDispose]: async () => traces?.[Symbol.asyncDispose](),
  };
}

/** Loaded on demand: most deployments have no collector. */
async function openTraces(url: string, role: string, log: Log): Promise<Traces> {
  const { Traces } = await import('./traces.ts');
  return new Traces(url, { role, version: VERSION, log });
}

/** Measures each step once, for both metrics and traces. */
function timedSteps(metrics: Pick<Metrics, 'observeStep'>, traces: Pick<Traces, 'add'> | null): Steps {
  return {
    begin: (name: StepName, sessionId: string, { startedMsAgo = 0 } = {}) => {
      const began = performance.now() - startedMsAgo;
      const startedAt = Date.now() - startedMsAgo;
      let ended = false;
      const end = (outcome: StepOutcome = 'ok') => {
        if (ended) return;
        ended = true;
        const tookMs = performance.now() - began;
        metrics.observeStep(name, outcome, tookMs / 1000);
        traces?.add({ name, sessionId, outcome, startedAt, endedAt: startedAt + tookMs });
      };
      return { end };
    },
  };
}
