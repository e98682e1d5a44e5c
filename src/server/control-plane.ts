import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FailureLimit } from '../access/failure-limit.ts';
import { SECRET } from '../access/secret-names.ts';
import { firstSegmentOf, type SocketOrigins } from '../access/socket-address.ts';
import { TokenKeys } from '../access/token-keys.ts';
import type { AppSource } from '../agent/app-source.ts';
import { RequestLimits } from '../api/limits/request-limits.ts';
import { SharedUse } from '../api/limits/share-use.ts';
import { ApiError } from '../contract/http/errors.ts';
import { AdbGateway } from '../control-gateway/adb/adb-gateway.ts';
import type { RecordAction } from '../control-gateway/audit-event.ts';
import { ControlGateway } from '../control-gateway/control-gateway.ts';
import { AuditTrail } from '../control-plane/audit/trail.ts';
import { SocketCounts } from '../gateway/socket-counts.ts';
import type { AdmissionRules } from '../gateway/upgrade-handler.ts';
import { StreamGateway } from '../stream-gateway/stream-gateway.ts';
import { AddressLimit } from './address-limit.ts';
import { startApi } from './api.ts';
import { clientAddress } from './client-address.ts';
import { openClientPorts, readCertificates } from './client-ports.ts';
import type { Config } from './config.ts';
import { healthOnly } from './health-only.ts';
import type { OwnAddresses } from './mcp.ts';
import type { ControlPlaneParts } from './parts.ts';
import { socketOrigins, warnOfLocalOrigins } from './public-origins.ts';
import type { Role } from './roles.ts';
import { rejectUpgrade } from './send-envelope.ts';
import { withSocketPaths } from './socket-paths.ts';
import {
  ADB_METRICS,
  ADDRESS_LIMIT_METRICS,
  CONTROL_METRICS,
  STREAM_METRICS,
} from './telemetry/component-metrics.ts';
import { withMetrics } from './telemetry/metrics-page.ts';

export interface ControlPlane extends AsyncDisposable {
  port: number;
  tlsPort: number;
  /** The bootstrap key, if this start created it; null when it already existed or was configured. */
  newKey: string | null;
  /** The local CA's certificate; null with the operator's own certificate. */
  caFile: string | null;
  /** The app source for an agent in this process; null when the api role is not in this process. */
  localApps: AppSource | null;
  /** Makes clients send their next requests to another process. */
  drain(): void;
}

/** Starts the roles that clients connect to, on an HTTP and an HTTPS port. */
export async function startControlPlane(
  parts: ControlPlaneParts,
  roles: readonly Role[],
): Promise<ControlPlane> {
  await using opened = new AsyncDisposableStack();
  const { config, store, telemetry } = parts;
  const certificates = await readCertificates(parts);
  const trail = opened.use(new AuditTrail(store, parts.log));
  const tokenKeys = opened.use(await TokenKeys.open(() => store.listSecrets(SECRET.socketToken)));
  const gateways = opened.use(new AsyncDisposableStack());
  const limits = new RequestLimits(config.requestRates);
  opened.use(new SharedUse(limits, parts.bus));
  const addressOf = clientAddress(config.trustedProxies);
  const addressLimit = new AddressLimit(limits, addressOf);
  const upgrade = addressLimit.upgrade(
    startGateways(gateways, parts, { tokenKeys, addressOf, failures: limits, trail }, roles),
  );
  // Functions, because of a cycle: a port of 0 stands for any free one, which is known once the server listens, and the
  // server only listens when it has its handlers.
  const origins = () => socketOrigins(config, config.tlsPort || ports.tlsPort);
  const own = () => ownAddresses(config, roles, { port: config.port || ports.port, origins: origins() });
  const api = roles.includes('api')
    ? opened.use(await startApi(parts, { tokenKeys, origins, own, limits, trail }, roles))
    : null;
  const dependency = { name: 'the store', check: () => store.ping() };
  const serve = withSocketPaths(api?.routing ?? healthOnly(dependency, parts.readiness));
  const onWrongKey = (reader: IncomingMessage) => {
    limits.admitUnknownKey(addressOf(reader));
    limits.recordFailure(addressOf(reader));
  };
  const access = { key: config.metricsKey, onWrongKey };
  const request = addressLimit.request(withMetrics(telemetry.metrics, access, serve));
  telemetry.metrics.register(ADDRESS_LIMIT_METRICS, () => addressLimit);
  const ports = opened.use(
    await openClientPorts(parts, certificates, {
      http: { request, upgrade },
      https: { request: addressLimit.request(serve), upgrade },
    }),
  );
  if (api) warnOfLocalOrigins(parts);
  // Disposed before the ports, which wait for their connections to close: clients with an open socket then
  // reconnect.
  opened.defer(() => gateways.disposeAsync());
  opened.defer(() => api?.closeStreams());
  api?.serveHosts();
  const running = opened.move();
  return {
    port: ports.port,
    tlsPort: ports.tlsPort,
    newKey: api?.newKey ?? null,
    caFile: certificates.caFile,
    localApps: api?.localApps ?? null,
    drain: () => ports.drain(),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** The control gateway is that of this process, if it has one. */
function ownAddresses(
  { host, mcpControlUrl }: Config,
  roles: readonly Role[],
  { port, origins }: { port: number; origins: SocketOrigins },
): OwnAddresses {
  const own = `${loopbackOf(host)}:${port}`;
  return {
    http: `http://${own}`,
    sockets: mcpControlUrl ?? (roles.includes('control') ? `ws://${own}` : origins.control),
  };
}

/** Returns the address at which a process that listens on this host reaches itself. */
function loopbackOf(host: string): string {
  if (host === '0.0.0.0' || host === 'localhost') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

/** The action in the audit trail for a WebSocket upgrade without a valid token. */
const SOCKET_OPEN = 'sockets.open';

/** Both ports serve both kinds of sockets, because a page that was loaded over plain HTTP uses its own origin. */
function startGateways(
  opened: AsyncDisposableStack,
  { config, store, bus, links, log, telemetry }: ControlPlaneParts,
  {
    trail,
    ...rules
  }: Required<Pick<AdmissionRules, 'tokenKeys' | 'addressOf' | 'failures'>> & {
    trail: AuditTrail;
  },
  roles: readonly Role[],
): Upgrade {
  const { maxDurationMinutes, maxSockets } = config;
  const { metrics, steps } = telemetry;
  const socketCounts = opened.use(new SocketCounts({ bus, limit: maxSockets }));
  const allowedOrigins = config.allowedOrigins ?? undefined;
  const failures: FailureLimit = {
    admitUnknownKey: (address) => rules.failures.admitUnknownKey(address),
    recordFailure: (address) => {
      rules.failures.recordFailure(address);
      void trail.authenticationFailed({ action: SOCKET_OPEN, address });
    },
  };
  const common = { store, bus, log, steps, ...rules, failures, allowedOrigins, socketCounts };
  const gateways = new Map<string, { handleUpgrade: Upgrade }>();
  if (roles.includes('stream')) {
    const stream = opened.use(new StreamGateway({ ...common, links: links.listen('stream') }));
    metrics.register(STREAM_METRICS, () => stream.counters);
    gateways.set('stream', stream);
  }
  if (roles.includes('control')) {
    const recordAction: RecordAction = (entry) =>
      trail.add({ ...entry, subject: entry.targets[0]?.id ?? '' });
    const [controlLinks, adbLinks] = [links.listen('control'), links.listen('adb')];
    const control = opened.use(
      new ControlGateway({ ...common, recordAction, links: controlLinks, maxDurationMinutes }),
    );
    const adb = opened.use(new AdbGateway({ ...common, recordAction, links: adbLinks }));
    metrics.register(CONTROL_METRICS, () => control.counters);
    metrics.register(ADB_METRICS, () => adb.counters);
    gateways.set('control', control).set('adb', adb);
  }
  return (request, socket, head) => {
    const gateway = gateways.get(firstSegmentOf(request.url ?? ''));
    if (gateway) gateway.handleUpgrade(request, socket, head);
    else {
      const problem = 'no WebSocket is served at this path; use the URLs of a session unchanged';
      rejectUpgrade(socket, new ApiError('routeNotFound', problem));
    }
  };
}
