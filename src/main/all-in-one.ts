import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { hostname } from 'node:os';
import type { Duplex } from 'node:stream';
import { Agent, type AgentOptions } from '../agent/agent.ts';
import { runSweeper } from '../api/apps/sweeper.ts';
import { takeAppRequest } from '../api/hosts/app.ts';
import { takeEnded } from '../api/hosts/ended.ts';
import { takeReport } from '../api/hosts/report.ts';
import { runReaper } from '../api/reaper.ts';
import { buildApi } from '../api/server.ts';
import { ANY_ADDRESS } from '../bus/bus.ts';
import { InProcessBus } from '../bus/in-process.ts';
import { ControlGateway } from '../control-gateway/control-gateway.ts';
import { SimulatedDriver } from '../drivers/simulated/simulated-driver.ts';
import { InProcessLinks } from '../link/in-process.ts';
import { TicketDesk } from '../link/ticket-desk.ts';
import { lockDataFolder } from '../store/lock-data-folder.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { StreamGateway } from '../stream-gateway/stream-gateway.ts';
import type { Log } from '../util/log.ts';
import { buildAndroidDriver } from './android.ts';
import { AppFolder } from './app-files.ts';
import { ensureCertificates } from './certificates.ts';
import type { Config } from './config.ts';
import { dataFiles, ensureDataFolder, ensureLine, newApiKey } from './data-folder.ts';
import { localApps } from './local-apps.ts';
import { addWebPages } from './web-pages.ts';
import { WebServer, writeResponse } from './web-server.ts';

/** The account of the bootstrap key. */
const BOOTSTRAP_ACCOUNT = 'default';

export interface AllInOne extends AsyncDisposable {
  port: number;
  tlsPort: number;
  /** The bootstrap key, when this start made it; null when it was there before or given. */
  newKey: string | null;
  /** The local CA's certificate; null with the operator's own certificate. */
  caFile: string | null;
}

/** Every role in one process, on the in-process bus and link. Disposing it closes everything it opened. */
export async function startAllInOne(
  config: Config,
  log: Log,
  clockOffsetMs?: () => number,
): Promise<AllInOne> {
  await using opened = new AsyncDisposableStack();
  await ensureDataFolder(config.dataDir);
  opened.use(await lockDataFolder(config.dataDir));
  const store = opened.use(await openConfiguredStore(config, log, clockOffsetMs));
  const newKey = await ensureBootstrapKey(config, store);
  const tls = await tlsMaterial(config);
  const tokenKey = await store.secret('socket-token');

  const bus = opened.use(new InProcessBus());
  const links = new InProcessLinks();
  const origins = { stream: config.streamUrl ?? '', control: config.controlUrl ?? '' };
  const appFiles = await AppFolder.open(dataFiles(config.dataDir).apps);
  const limits = { maxDurationMinutes: config.maxDurationMinutes, maxAppBytes: config.maxAppBytes };
  const tickets = new TicketDesk(opened.use(links.listen('api')));
  const context = {
    store,
    bus,
    tickets,
    log,
    origins,
    tokenKey,
    appFiles,
    hostsMustBeKnown: false,
    ...limits,
  };
  const gateway = { store, bus, tokenKey, log, allowedOrigins: config.allowedOrigins ?? undefined };
  const gateways = opened.use(new AsyncDisposableStack());
  const stream = gateways.use(new StreamGateway({ ...gateway, links: links.listen('stream') }));
  const control = gateways.use(
    new ControlGateway({
      ...gateway,
      links: links.listen('control'),
      maxDurationMinutes: config.maxDurationMinutes,
    }),
  );

  const api = await buildApi(context);
  await addWebPages(api);
  await api.ready();
  opened.defer(() => api.close());
  const handlers = { request: api.routing, upgrade: route(stream, control) };
  const secure = opened.use(await WebServer.listen({ ...config, port: config.tlsPort, tls, handlers }));
  origins.stream ||= `wss://localhost:${secure.port}`;
  origins.control ||= `wss://127.0.0.1:${secure.port}`;
  const plain = opened.use(await WebServer.listen({ ...config, handlers }));
  // Ahead of the servers, which wait for their connections: whoever holds a socket is told to come again.
  opened.defer(() => gateways.disposeAsync());

  bus.serve('control-plane.report', ANY_ADDRESS, (report, hostId) => takeReport(context, report, hostId));
  bus.serve('control-plane.ended', ANY_ADDRESS, (ended, hostId) => takeEnded(context, ended, hostId));
  bus.serve('control-plane.app', ANY_ADDRESS, (request, hostId) => takeAppRequest(context, request, hostId));
  const agent = opened.use(await buildAgent(config, { bus, links, apps: localApps(store, appFiles), log }));
  await agent.start();
  keepRunning(opened, (signal) => runReaper(context, signal));
  keepRunning(opened, (signal) => runSweeper(context, signal));

  const running = opened.move();
  return {
    port: plain.port,
    tlsPort: secure.port,
    newKey,
    caFile: tls.caFile,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function openConfiguredStore(config: Config, log: Log, clockOffsetMs?: () => number): Promise<Store> {
  const where = config.databaseUrl
    ? { databaseUrl: config.databaseUrl }
    : { sqliteFile: dataFiles(config.dataDir).database };
  return openStore(where, { log, clockOffsetMs });
}

async function ensureBootstrapKey(config: Config, store: Store): Promise<string | null> {
  const { line: key, isNew } = config.apiKey
    ? { line: config.apiKey, isNew: false }
    : await ensureLine(dataFiles(config.dataDir).apiKey, newApiKey);
  await store.ensureBootstrapKey({
    account: { name: BOOTSTRAP_ACCOUNT, quotaMinutes: config.quotaMinutes, maxSessions: config.maxSessions },
    hash: createHash('sha256').update(key).digest('hex'),
    prefix: key.slice(0, 8),
  });
  return isNew ? key : null;
}

async function tlsMaterial(config: Config): Promise<{ key: string; cert: string; caFile: string | null }> {
  if (config.tlsFiles) {
    const [cert, key] = await Promise.all([
      readFile(config.tlsFiles.cert, 'utf8'),
      readFile(config.tlsFiles.key, 'utf8'),
    ]);
    return { cert, key, caFile: null };
  }
  const hostNames = [config.streamUrl, config.controlUrl].flatMap((url) =>
    url ? [new URL(url).hostname] : [],
  );
  return ensureCertificates({ dataDir: config.dataDir, hostNames });
}

/** Both sockets are served on both ports: a page that came over plain HTTP uses its own origin. */
function route(stream: StreamGateway, control: ControlGateway) {
  return (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (request.url?.startsWith('/stream/')) stream.handleUpgrade(request, socket, head);
    else if (request.url?.startsWith('/control/')) control.handleUpgrade(request, socket, head);
    else
      writeResponse(socket, 404, { code: 40007, message: 'no WebSocket is served at this path', data: {} });
  };
}

async function buildAgent(
  config: Config,
  parts: Pick<AgentOptions, 'bus' | 'links' | 'apps' | 'log'>,
): Promise<Agent> {
  const { line: hostId } = await ensureLine(
    dataFiles(config.dataDir).hostId,
    () => `host-${crypto.randomUUID()}`,
  );
  const simulated = new SimulatedDriver({ hostId, count: config.simulatedPhones, log: parts.log });
  const android = await buildAndroidDriver(config, hostId, parts.log);
  return new Agent({
    hostId,
    hostName: hostname(),
    ...parts,
    drivers: android ? [simulated, android] : [simulated],
    idleTimeoutMs: config.idleTimeoutMs,
  });
}

function keepRunning(opened: AsyncDisposableStack, run: (signal: AbortSignal) => Promise<void>): void {
  const stopping = new AbortController();
  const running = run(stopping.signal);
  opened.defer(async () => {
    stopping.abort();
    await running;
  });
}
