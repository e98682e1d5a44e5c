import { PendingConnections } from '../util/pending-connections.ts';
import { ensureCertificates } from './certificates.ts';
import { sharedAddress } from './client-address.ts';
import type { Config } from './config.ts';
import { ConnectionLimit } from './connection-limit.ts';
import { readOwnCertificate } from './own-certificate.ts';
import type { ControlPlaneParts } from './parts.ts';
import { renewCertificates } from './renew-certificates.ts';
import { CONNECTION_METRICS } from './telemetry/component-metrics.ts';
import { PENDING_LIMITS, type WebHandlers, WebServer } from './web-server.ts';

/** The ports on which clients reach this process. */
export interface ClientPorts extends AsyncDisposable {
  readonly port: number;
  readonly tlsPort: number;
  /** Makes clients send their next requests to another process. */
  drain(): void;
}

interface Certificates {
  key: string;
  cert: string;
  /** The certificate of the local authority; null with the operator's own certificate. */
  caFile: string | null;
  isAuthorityRenewed: boolean;
}

/** Listens on the HTTP and the HTTPS port, and keeps the certificate of the latter current. */
export async function openClientPorts(
  parts: Pick<ControlPlaneParts, 'config' | 'log' | 'telemetry'>,
  certificates: Certificates,
  handlers: { http: WebHandlers; https: WebHandlers },
): Promise<ClientPorts> {
  await using opened = new AsyncDisposableStack();
  const { config, log, telemetry } = parts;
  const connectionLimit = limitConnections(parts);
  const pending = new PendingConnections(PENDING_LIMITS, sharedAddress(config.trustedProxies));
  const connections = () => ({ refused: connectionLimit.refused, pendingClosed: pending.closed });
  telemetry.metrics.register(CONNECTION_METRICS, connections);
  const common = { host: config.host, connectionLimit, pending };
  const secure = opened.use(
    await WebServer.listen({
      ...common,
      port: config.tlsPort,
      handlers: handlers.https,
      tls: certificates,
    }),
  );
  opened.use(
    renewCertificates({
      current: certificates,
      read: () => readCertificates(parts),
      apply: (material) => secure.useCertificate(material),
      log,
    }),
  );
  const plain = opened.use(await WebServer.listen({ ...common, port: config.port, handlers: handlers.http }));
  const running = opened.move();
  return {
    port: plain.port,
    tlsPort: secure.port,
    drain: () => {
      secure.drain();
      plain.drain();
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

export async function readCertificates({
  config,
  log,
}: Pick<ControlPlaneParts, 'config' | 'log'>): Promise<Certificates> {
  const tls = await tlsMaterial(config);
  if (tls.isAuthorityRenewed) {
    const { caFile } = tls;
    log.warn(
      { caFile },
      'local certificate authority renewed; install its new certificate on the clients that trust the old ' +
        'one',
    );
  }
  return tls;
}

/** The limit applies to both ports together. */
function limitConnections({ config, log }: Pick<ControlPlaneParts, 'config' | 'log'>): ConnectionLimit {
  const onRefused = (address: string) => {
    const words = 'connections rejected: their address has reached PHONEBOOTH_MAX_CONNECTIONS';
    log.warn({ address, limit: config.maxConnections }, words);
  };
  return new ConnectionLimit({
    limit: config.maxConnections,
    isShared: sharedAddress(config.trustedProxies),
    onRefused,
  });
}

/** Returns the operator's own certificate, or one of the local authority, in PEM format. */
async function tlsMaterial({ tlsFiles, streamUrl, controlUrl, dataDir }: Config): Promise<Certificates> {
  if (tlsFiles) {
    return { ...(await readOwnCertificate(tlsFiles)), caFile: null, isAuthorityRenewed: false };
  }
  const hostNames = [streamUrl, controlUrl].flatMap((url) => (url ? [new URL(url).hostname] : []));
  return ensureCertificates({ dataDir, hostNames });
}
