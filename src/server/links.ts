import { hostname } from 'node:os';
import { InProcessLinks } from '../link/in-process.ts';
import type { LinkDialer, LinkListener } from '../link/link.ts';
import { WebSocketDialer } from '../link/websocket-dialer.ts';
import { IngestServer } from '../link/websocket-ingest.ts';
import { WebSocketListener } from '../link/websocket-listener.ts';
import type { Log } from '../util/log.ts';
import { isLoopback } from '../util/loopback.ts';
import { type Config, ConfigError } from './config.ts';
import { explain } from './web-server.ts';

const DAY_MS = 86_400_000;

/** Both ends of links, as far as this process provides them. */
export interface Links extends AsyncDisposable {
  /** The address that hosts dial, `wss://…`; null: no host outside this process dials it. */
  ingest: string | null;
  /** Accepts the links of one role. */
  listen(name: string): LinkListener;
  dialer: LinkDialer;
}

export function inProcessLinks(): Links {
  const links = new InProcessLinks();
  return {
    ingest: null,
    listen: (name) => links.listen(name),
    dialer: links,
    [Symbol.asyncDispose]: async () => {},
  };
}

/** Links of a process that only dials. */
export function dialOnly(log: Log): Links {
  return {
    ingest: null,
    listen: () => {
      throw new Error('this process does not accept links');
    },
    dialer: new WebSocketDialer({ log }),
    [Symbol.asyncDispose]: async () => {},
  };
}

/**
 * Links of a process that the hosts of a fleet dial. It listens on a separate port, with a certificate that is
 * created at each start.
 */
export async function ingestLinks(config: Config, log: Log): Promise<Links> {
  const { cert, key } = await ephemeralCertificate();
  const isLocal = isLoopback(config.host);
  if (!isLocal && config.ingestPort === 0 && config.ingestUrl === null)
    throw new ConfigError(
      'PHONEBOOTH_INGEST_PORT',
      'must not be 0, because hosts on other machines connect to it; set a fixed port, or PHONEBOOTH_INGEST_URL',
    );
  const ownName = isLocal ? undefined : `wss://${hostname()}:${config.ingestPort}`;
  const host = config.host === 'localhost' ? '127.0.0.1' : config.host;
  const server = await IngestServer.open({
    host,
    port: config.ingestPort,
    cert,
    key,
    origin: config.ingestUrl ?? ownName,
    log,
  }).catch((error: NodeJS.ErrnoException) => {
    throw explain(error, host, config.ingestPort, 'PHONEBOOTH_INGEST_PORT');
  });
  return {
    ingest: server.origin,
    listen: (name) => new WebSocketListener(server, name, { log }),
    dialer: new WebSocketDialer({ log }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Hosts receive the certificate's fingerprint over the bus and verify only that. */
async function ephemeralCertificate(): Promise<{ cert: string; key: string }> {
  const { issueAuthority, issueServer } = await import('./issue-certificates.ts');
  const validity = {
    notBefore: new Date(Date.now() - DAY_MS),
    notAfter: new Date(Date.now() + 3_650 * DAY_MS),
  };
  const authority = await issueAuthority('Phonebooth ingest', validity);
  const { certificate, key } = await issueServer({
    commonName: 'Phonebooth ingest',
    names: ['localhost'],
    authority,
    ...validity,
  });
  return { cert: certificate.toString(), key: key.export({ type: 'pkcs8', format: 'pem' }).toString() };
}
