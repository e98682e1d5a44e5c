import type { Bus } from '../bus/bus.ts';
import type { Store } from '../store/store.ts';
import type { Log } from '../util/log.ts';
import type { Config } from './config.ts';
import type { Links } from './links.ts';
import type { Readiness } from './readiness.ts';
import type { Telemetry } from './telemetry/telemetry.ts';

/** The components that every role of a process uses. The code that creates them closes them. */
export interface Parts {
  config: Config;
  bus: Bus;
  links: Links;
  log: Log;
  telemetry: Telemetry;
  readiness: Readiness;
}

export interface ControlPlaneParts extends Parts {
  store: Store;
}
