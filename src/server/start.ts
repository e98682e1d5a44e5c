import type { Bus } from '../bus/bus.ts';
import { InProcessBus } from '../bus/in-process.ts';
import { ApiError } from '../contract/http/errors.ts';
import { allowHeapGrowth } from '../media/heap-growth.ts';
import { ensureDataFolder } from '../store/engine/data-folder.ts';
import { lockDataFolder } from '../store/engine/lock-data-folder.ts';
import { openConfiguredStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import type { Log } from '../util/log.ts';
import { startAgent } from './agent.ts';
import type { Config } from './config.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { healthOnly } from './health-only.ts';
import { dialOnly, ingestLinks, inProcessLinks, type Links } from './links.ts';
import { Readiness } from './readiness.ts';
import { checkRoleSettings, isControlPlane, type Role } from './roles.ts';
import { rejectUpgrade } from './send-envelope.ts';
import { registerBus } from './telemetry/component-metrics.ts';
import { withMetrics } from './telemetry/metrics-page.ts';
import { openTelemetry, type Telemetry } from './telemetry/telemetry.ts';
import { type WebHandlers, WebServer } from './web-server.ts';

export interface Running extends AsyncDisposable {
  /** The ports that serve clients; null if this process does not serve clients. */
  controlPlane: Omit<ControlPlane, 'localApps' | 'drain'> | null;
  /** The port of health and metrics, if this process does not serve clients. */
  healthPort: number | null;
  /** The address that hosts dial; null: they are in this process. */
  ingest: string | null;
  /**
   * Makes `/readyz` fail and makes clients send their next requests to another process, while everything is still
   * served. Call it some time before disposing, so that load balancers notice.
   */
  drain(): void;
}

/**
 * Starts these roles in this process: all of them with in-process components, or one role of a fleet. Disposing the
 * result closes everything that was opened.
 * @throws ConfigError
 */
export async function start(
  config: Config,
  roles: readonly Role[],
  log: Log,
  clockOffsetMs?: () => number,
): Promise<Running> {
  checkRoleSettings(config, roles);
  if (roles.includes('agent') || roles.includes('stream')) allowHeapGrowth();
  await using opened = new AsyncDisposableStack();
  await ensureDataFolder(config.dataDir);
  opened.use(await lockDataFolder(config.dataDir));
  const store = roles.some(isControlPlane)
    ? opened.use(await openConfiguredStore(config, { log, clockOffsetMs }))
    : null;
  const telemetry = opened.use(await openTelemetry(config, roles, log));
  const readiness = new Readiness();
  let bus: Bus | null = null;
  // Opened before the bus, because a host may wait for the bus.
  const isBusUp = () => bus?.isUp === true;
  const health = store ? null : opened.use(await serveHealth(config, telemetry, readiness, isBusUp));
  bus = opened.use(await openBus(config, store, log));
  registerBus(telemetry.metrics, bus);
  const links = opened.use(await openLinks(config, store, log));
  const parts = { config, bus, links, log, telemetry, readiness };
  const controlPlane = store && opened.use(await startControlPlane({ ...parts, store }, roles));
  if (roles.includes('agent'))
    opened.use(await startAgent({ ...parts, store, apps: controlPlane?.localApps ?? null }));
  readiness.markReady();
  const running = opened.move();
  return {
    controlPlane,
    healthPort: health?.port ?? null,
    ingest: links.ingest,
    drain: () => {
      readiness.markDraining();
      controlPlane?.drain();
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Serves health and metrics for the supervisor of a host, which serves no clients. */
function serveHealth(
  config: Config,
  { metrics }: Telemetry,
  readiness: Readiness,
  isBusUp: () => boolean,
): Promise<WebServer> {
  const check = async () => {
    if (!isBusUp()) throw new Error('messages of other processes do not arrive');
  };
  const health = healthOnly({ name: 'the bus', check }, readiness);
  const access = { key: config.metricsKey };
  const request = withMetrics(metrics, access, (...exchange) => void health(...exchange));
  const upgrade: WebHandlers['upgrade'] = (_, socket) =>
    rejectUpgrade(
      socket,
      new ApiError('routeNotFound', 'no WebSocket is served here; use the URLs of a session'),
    );
  return WebServer.listen({ ...config, handlers: { request, upgrade } });
}

/** A host authenticates with its credential, the control plane with a key that is stored for all of its processes. */
async function openBus(
  { natsUrl, natsCaFile, hostCredential }: Config,
  store: Store | null,
  log: Log,
): Promise<Bus> {
  if (natsUrl === null) return new InProcessBus();
  // Loaded on demand: a process with all roles does not need it.
  const { NatsBus } = await import('../bus/nats.ts');
  const { controlPlaneSeed } = await import('../operator/host-admin.ts');
  const servers = { url: natsUrl, ...(natsCaFile !== null && { caFile: natsCaFile }), log };
  if (!store && hostCredential) {
    const { hostId, seed } = hostCredential;
    const host = { hostId, nkeySeed: seed, name: `phonebooth host ${hostId}` };
    // A host with phones may be started before the server.
    return NatsBus.connect({ ...servers, ...host, connectTimeoutMs: null });
  }
  const nkeySeed = await controlPlaneSeed(store!);
  return NatsBus.connect({ ...servers, hostId: null, nkeySeed, name: 'phonebooth control plane' });
}

async function openLinks(config: Config, store: Store | null, log: Log): Promise<Links> {
  if (config.natsUrl === null) return inProcessLinks();
  return store ? ingestLinks(config, log) : dialOnly(log);
}
