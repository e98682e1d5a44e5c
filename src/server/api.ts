import type { IncomingMessage, ServerResponse } from 'node:http';
import { factsOfKey, newApiKey } from '../access/api-key.ts';
import type { TokenKeys } from '../access/token-keys.ts';
import { readAppPackage } from '../agent/app-package.ts';
import { type AppSource, AppSourceError } from '../agent/app-source.ts';
import { Authenticator } from '../api/authenticate.ts';
import { BASE_PATH } from '../api/base-path.ts';
import type { ApiContext } from '../api/context.ts';
import { openApiDocument } from '../api/descriptions/openapi.ts';
import { buildApi } from '../api/server.ts';
import { addSharedRecordings } from '../api/shared-recordings/routes.ts';
import { addSignIn } from '../api/sign-in/routes.ts';
import { addWebDriver } from '../api/webdriver/routes.ts';
import { ANY_ADDRESS } from '../bus/bus.ts';
import { operations } from '../contract/http/operations.ts';
import { AppFolder } from '../control-plane/apps/app-folder.ts';
import { runSweeper } from '../control-plane/apps/sweeper.ts';
import { runArtifactUpkeep } from '../control-plane/artifacts/artifact-upkeep.ts';
import { openArtifactFiles } from '../control-plane/artifacts/open-artifact-files.ts';
import { EventTail } from '../control-plane/events/event-tail.ts';
import { runEventTrimmer } from '../control-plane/events/trimmer.ts';
import { handleAppRequest } from '../control-plane/hosts/app-requests.ts';
import { handleArtifactRequest, handleRecorded } from '../control-plane/hosts/artifact-requests.ts';
import { handleReport } from '../control-plane/hosts/reports.ts';
import { handleSessionEnded } from '../control-plane/hosts/session-ended.ts';
import { runHousekeeping } from '../control-plane/housekeeping.ts';
import { BorrowQueue } from '../control-plane/queue/borrow-queue.ts';
import { runReaper } from '../control-plane/reaper.ts';
import { WebhookDeliverer } from '../control-plane/webhooks/deliverer.ts';
import { runDeliveryTrimmer } from '../control-plane/webhooks/trimmer.ts';
import { TicketIssuer } from '../link/ticket-issuer.ts';
import { dataFiles, ensureLine } from '../store/engine/data-folder.ts';
import type { Store } from '../store/store.ts';
import { Slots } from '../util/slots.ts';
import type { Config } from './config.ts';
import { addMcp, type McpParts } from './mcp.ts';
import type { ControlPlaneParts } from './parts.ts';
import { isAllInOne, type Role } from './roles.ts';
import { MCP_METRICS, registerFleetCounts, registerWebhooks } from './telemetry/component-metrics.ts';
import { VERSION } from './version.ts';
import { addWebPages } from './web-pages.ts';

/** Limits on concurrent uploads in this process, in total and per account. */
const UPLOADS = { total: 64, perSubject: 8 };
/** Limits on concurrent operations on files of phones in this process, in total and per account. */
const TRANSFERS = { total: 64, perSubject: 8 };
/** Limits on concurrent downloads of artifacts in this process, in total and per account. */
const DOWNLOADS = { total: 256, perSubject: 32 };
/** Limits on concurrent uploads of artifacts to this process, in total and per host. */
const ARTIFACT_UPLOADS = { total: 32, perSubject: 4 };
/** The account that the bootstrap key belongs to. */
const BOOTSTRAP_ACCOUNT = 'default';

interface RunningApi extends AsyncDisposable {
  routing: (request: IncomingMessage, response: ServerResponse) => void;
  newKey: string | null;
  localApps: AppSource;
  /**
   * Starts to handle the messages of hosts, and starts the background tasks such as the reaper. Called once clients
   * can be served.
   */
  serveHosts(): void;
  /**
   * Ends long-lived requests. Clients that listen to events or wait for a phone then reconnect. Sessions that agents
   * borrowed over MCP are ended, because they could not be assigned to an agent after a restart.
   */
  closeStreams(): Promise<void>;
}

/** Starts the HTTP API with the console, and the background tasks of an api process. */
export async function startApi(
  { config, store, bus, links, log, telemetry, readiness }: ControlPlaneParts,
  shared: Pick<ApiContext, 'origins' | 'limits' | 'trail'> & Pick<McpParts, 'own'> & { tokenKeys: TokenKeys },
  roles: readonly Role[],
): Promise<RunningApi> {
  const { tokenKeys, origins, own, trail, limits: requestLimits } = shared;
  const authenticator = new Authenticator(store, log, requestLimits);
  await using opened = new AsyncDisposableStack();
  const newKey = await ensureBootstrapKey({ config, store }, isAllInOne(roles));
  const appFiles = await AppFolder.open(config.appsDir);
  const artifactFiles = await openArtifactFiles(config, log);
  const tickets = new TicketIssuer(opened.use(links.listen('api')));
  const { metrics, steps } = telemetry;
  registerFleetCounts(metrics, store);
  registerWebhooks(metrics, store);
  const reporting = { log, steps, meter: metrics };
  const events = new EventTail({ store, bus, log, origins, tokenKeys });
  const borrowQueue = new BorrowQueue({ store, bus, ...reporting });
  const mayBePrivate = config.webhooksPrivateNetworks;
  const deliverer = new WebhookDeliverer({ store, bus, ...reporting }, { mayBePrivate, version: VERSION });
  const context: ApiContext = {
    store,
    bus,
    tickets,
    ...reporting,
    origins,
    tokenKeys,
    appFiles,
    artifactFiles,
    ...limitsOf(config),
    events,
    borrowQueue,
    webhooks: { mayBePrivate, notify: () => deliverer.notify() },
    limits: requestLimits,
    authenticator,
    trail,
  };
  const api = await buildApi(context, {
    trustedProxies: config.trustedProxies,
    readinessProblem: () => readiness.problem,
    allowedOrigins: config.allowedOrigins ?? [],
    webDriverHost: config.webDriverHost,
    onAnswer: telemetry.traceRequest,
  });
  addSignIn(api, context, config.signIn);
  addSharedRecordings(api, { ...context, tokenKeys });
  addWebDriver(api, { ...context, tokenKeys });
  await addWebPages(api, { origins, openApi: () => openApiDocument(BASE_PATH, operations(context)) });
  const agents = opened.use(
    addMcp(api, { config, store, log, limits: requestLimits, authenticator, trail, own }),
  );
  metrics.register(MCP_METRICS, () => agents.counters);
  await api.ready();
  opened.defer(() => api.close());
  const running = opened.move();
  return {
    routing: api.routing,
    newKey,
    localApps: localApps(store, appFiles),
    serveHosts: () => {
      running.use(deliverer).start();
      serveHosts(running, context, config);
    },
    closeStreams: async () => {
      await agents[Symbol.asyncDispose]();
      await events[Symbol.asyncDispose]();
      await borrowQueue[Symbol.asyncDispose]();
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** The limits of this process. Slots are counted in it alone. */
function limitsOf(config: Config) {
  const { maxDurationMinutes, maxKeyLifetimeMs, maxAppBytes, maxFileBytes, maxDevicesPerHost } = config;
  const { diskReserveBytes, quotaMinutes, maxSessions, maxArtifactBytes, artifactDays } = config;
  return {
    maxDurationMinutes,
    maxKeyLifetimeMs,
    maxAppBytes,
    maxFileBytes,
    maxDevicesPerHost,
    diskReserveBytes,
    uploads: new Slots(UPLOADS),
    transfers: new Slots(TRANSFERS),
    downloads: new Slots(DOWNLOADS),
    artifactUploads: new Slots(ARTIFACT_UPLOADS),
    hostsMustBeKnown: config.natsUrl !== null,
    newAccounts: {
      quotaMinutes,
      maxSessions,
      maxAppBytes: config.maxAppStorageBytes,
      maxArtifactBytes,
      artifactDays,
    },
  };
}

function serveHosts(
  opened: AsyncDisposableStack,
  context: ApiContext,
  { auditDays, auditMaxEntries }: Pick<Config, 'auditDays' | 'auditMaxEntries'>,
): void {
  const { bus } = context;
  const served = [
    bus.serve('control-plane.report', ANY_ADDRESS, (report, hostId) => handleReport(context, report, hostId)),
    bus.serve('control-plane.ended', ANY_ADDRESS, (ended, hostId) =>
      handleSessionEnded(context, ended, hostId),
    ),
    bus.serve('control-plane.app', ANY_ADDRESS, (request, hostId) =>
      handleAppRequest(context, request, hostId),
    ),
    bus.serve('control-plane.artifact', ANY_ADDRESS, (request, hostId) =>
      handleArtifactRequest(context, request, hostId),
    ),
    bus.serve('control-plane.recorded', ANY_ADDRESS, (request, hostId) =>
      handleRecorded(context, request, hostId),
    ),
  ];
  opened.defer(() => {
    for (const subscription of served) subscription.close();
  });
  keepRunning(opened, (signal) => runReaper(context, signal));
  keepRunning(opened, (signal) => runSweeper(context, signal));
  keepRunning(opened, (signal) => runArtifactUpkeep(context, signal));
  keepRunning(opened, (signal) => runEventTrimmer(context, signal));
  keepRunning(opened, (signal) => runDeliveryTrimmer(context, signal));
  keepRunning(opened, (signal) => runHousekeeping(context, signal, { auditDays, auditMaxEntries }));
}

/** A single process creates its own key at the first start. In a fleet, each process would create a different one. */
async function ensureBootstrapKey(
  { config, store }: Pick<ControlPlaneParts, 'config' | 'store'>,
  mayMake: boolean,
): Promise<string | null> {
  const { apiKey, quotaMinutes, maxSessions, maxAppStorageBytes: maxAppBytes } = config;
  const { maxArtifactBytes, artifactDays } = config;
  if (!apiKey && !mayMake) return null;
  const { line: key, isNew } = apiKey
    ? { line: apiKey, isNew: false }
    : await ensureLine(dataFiles(config.dataDir).apiKey, newApiKey);
  await store.ensureBootstrapKey({
    account: {
      name: BOOTSTRAP_ACCOUNT,
      quotaMinutes,
      maxSessions,
      maxAppBytes,
      maxArtifactBytes,
      artifactDays,
    },
    ...factsOfKey(key),
  });
  return isNew ? key : null;
}

function keepRunning(opened: AsyncDisposableStack, run: (signal: AbortSignal) => Promise<void>): void {
  const stopping = new AbortController();
  const running = run(stopping.signal);
  opened.defer(async () => {
    stopping.abort();
    await running;
  });
}

/** Provides apps to an agent that runs on the machine with the app files. It uses the files without copying them. */
function localApps(store: Pick<Store, 'getKeptApp'>, files: AppFolder): AppSource {
  return {
    open: async (appId) => {
      const row = await store.getKeptApp(appId);
      if (!row) throw new AppSourceError('the app was deleted; upload it again');
      return {
        app: await readAppPackage(appId, row, files.of(appId)),
        [Symbol.asyncDispose]: async () => {},
      };
    },
  };
}
