import { hostname } from 'node:os';
import { join } from 'node:path';
import { Agent } from '../agent/agent.ts';
import type { AppSource } from '../agent/app-source.ts';
import { Recordings } from '../agent/recording/recordings.ts';
import { RemoteApps } from '../agent/remote-apps.ts';
import { SimulatedDriver } from '../drivers/simulated/simulated-driver.ts';
import { dataFiles, ensureLine } from '../store/engine/data-folder.ts';
import type { Store } from '../store/store.ts';
import type { Log } from '../util/log.ts';
import { buildAndroidDriver } from './android.ts';
import type { Config } from './config.ts';
import type { Parts } from './parts.ts';
import { AGENT_METRICS } from './telemetry/component-metrics.ts';

/**
 * Longest time that the start waits for the built-in phones. Cleaning one for the first time takes well under a
 * second. A phone that takes longer than this has a problem, which must not prevent the others from being borrowed.
 */
const SETTLE_TIMEOUT_MS = 20_000;

export interface AgentParts extends Parts {
  /** The store of the control plane, if that runs in this process; otherwise null. */
  store: Store | null;
  apps: AppSource | null;
}

/** Starts the device host for the phones of this machine. */
export async function startAgent({
  config,
  bus,
  links,
  log,
  telemetry,
  store,
  apps,
}: AgentParts): Promise<Agent> {
  const hostId = store ? await ownHostId(config, store) : config.hostCredential!.hostId;
  const simulated = new SimulatedDriver({
    hostId,
    count: config.simulatedPhones,
    dataDir: config.dataDir,
    log,
  });
  const android = await buildAndroidDriver(config, hostId, log);
  const folder = join(config.dataDir, 'downloads');
  const recordings = await Recordings.open({
    hostId,
    bus,
    links: links.dialer,
    log,
    folder: join(config.dataDir, 'recordings'),
    maxBytes: config.maxRecordingBytes,
    reserveBytes: config.diskReserveBytes,
  });
  const agent = new Agent({
    hostId,
    hostName: hostname(),
    bus,
    links: links.dialer,
    apps: apps ?? (await RemoteApps.open({ hostId, bus, links: links.dialer, folder })),
    recordings,
    drivers: android ? [simulated, android] : [simulated],
    appium: config.appium === null ? null : { command: config.appium, env: config.appiumEnv },
    log,
    steps: telemetry.steps,
    idleTimeoutMs: config.idleTimeoutMs,
  });
  await agent.start();
  telemetry.metrics.register(AGENT_METRICS, () => agent.counters);
  if (store) await untilBorrowable(agent, simulated, log);
  return agent;
}

/** A process that is also the control plane becomes ready when its built-in phones can be borrowed. */
async function untilBorrowable(agent: Agent, simulated: SimulatedDriver, log: Log): Promise<void> {
  const timeout = AbortSignal.timeout(SETTLE_TIMEOUT_MS);
  try {
    await agent.whenSettled(simulated, timeout);
  } catch (error) {
    if (!timeout.aborted) throw error;
    log.warn({ timeoutMs: SETTLE_TIMEOUT_MS }, 'simulated phones are not available yet');
  }
}

/** An operator need not add a host that runs in the same process as the control plane. */
async function ownHostId(config: Config, store: Store): Promise<string> {
  const { line: hostId } = await ensureLine(
    dataFiles(config.dataDir).hostId,
    () => `host-${crypto.randomUUID()}`,
  );
  await store.reportHost({ hostId, hostName: hostname(), complete: false, phones: [] });
  return hostId;
}
