import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { type NodeConnectionOptions, nkeyAuthenticator, type Server } from '@nats-io/transport-node';
import { BusError } from './bus.ts';
import { nkeyOf } from './nkey.ts';

/** The address of the NATS server, and the credentials of this process. */
export interface NatsServers {
  /**
   * `nats://…` or `tls://…`, several separated by commas. If one of them is `tls://`, all connections require TLS.
   */
  url: string;
  /** Secret: the seed of an nkey. Without it, the server must not require authentication. */
  nkeySeed?: string;
  /** PEM file with the CA of the server's certificate. Without it, the CAs that Node trusts. */
  caFile?: string;
  /** Name of this process in the server's list of connections. */
  name: string;
}

// A cut network or a hung server is detected within 4 s: one ping per second, and three unanswered pings. A host has
// 10 s for the detection, a new connection and a report over it.
const PING_INTERVAL_MS = 1_000;
const MAX_UNANSWERED_PINGS = 3;
const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;

/** Delay after this many failed attempts, ms. It has jitter, so that a fleet does not reconnect all at once. */
export function pauseAfter(attempts: number, random: () => number = Math.random): number {
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempts, 10), MAX_PAUSE_MS);
  return Math.round(pause * (1 + random() / 2));
}

const addresses = (url: string) => url.split(',').map((one) => new URL(one.trim()));

/** The addresses of the servers without credentials, for messages. */
export const addressesOf = ({ url }: NatsServers) =>
  addresses(url)
    .map(({ protocol, host }) => `${protocol}//${host}`)
    .join(', ');

/** @throws BusError `failed` when the credential is not a valid seed; the message does not contain it */
export function connectionOptions(servers: NatsServers): NodeConnectionOptions {
  const { url, nkeySeed, caFile, name } = servers;
  const all = addresses(url);
  return {
    servers: all.map(({ hostname, port }) => `${hostname}:${port || '4222'}`),
    name,
    authenticator: nkeySeed === undefined ? undefined : nkeyAuthenticator(checkedSeed(nkeySeed)),
    tls:
      caFile !== undefined || all.some(({ protocol }) => protocol === 'tls:') ? tls(all, caFile) : undefined,
    pingInterval: PING_INTERVAL_MS,
    maxPingOut: MAX_UNANSWERED_PINGS,
    maxReconnectAttempts: -1,
    // The client would first redial the server that it has just lost, and wait for that (observed with 3.4.0)
    reconnectToServer: (pool, info) => (info === null ? null : leastRecentlyDialled(pool)),
    // A host whose credentials are accepted again later must reconnect without a restart
    ignoreAuthErrorAbort: true,
    noAsyncTraces: true,
  };
}

const leastRecentlyDialled = (pool: readonly Server[]): Server | null =>
  pool.toSorted((one, other) => one.lastConnect - other.lastConnect)[0] ?? null;

/**
 * The client verifies a certificate against the dialled address only when that is a name, and the certificate of an
 * IP address against `localhost`. Here the certificate must be valid for one of the servers that the setting names,
 * however that server was discovered.
 */
function tls(all: URL[], caFile: string | undefined): NodeConnectionOptions['tls'] {
  const names = all.map(({ hostname }) => hostname.replace(/^\[|\]$/g, ''));
  const identify = (_dialled: string, certificate: PeerCertificate) => {
    const complaints = names.map((name) => checkServerIdentity(name, certificate));
    return complaints.includes(undefined) ? undefined : complaints[0];
  };
  // The client passes all options on to Node, but its type lists only some. A spread is not checked against it.
  return { ...(caFile !== undefined && { caFile }), ...{ checkServerIdentity: identify } };
}

function checkedSeed(seed: string): Uint8Array {
  try {
    return new TextEncoder().encode(nkeyOf(seed).seed);
  } catch (error) {
    throw new BusError('failed', (error as Error).message);
  }
}
