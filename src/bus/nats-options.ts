import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { type NodeConnectionOptions, nkeyAuthenticator, type Server } from '@nats-io/transport-node';
import { BusError } from './bus.ts';
import { nkeyOf } from './nkey.ts';

/** Where the NATS server is, and how this process shows who it is. */
export interface NatsServers {
  /** `nats://…` or `tls://…`, several with commas between. One `tls://` among them: none is spoken to without TLS. */
  url: string;
  /** Secret: the seed of an nkey. Without it the server must let anyone in. */
  nkeySeed?: string;
  /** Authority of the server's certificate, PEM. Without it those that Node trusts. */
  caFile?: string;
  /** What the server's own lists call this process. */
  name: string;
}

// A cut network or a stopped server is noticed within 4 s: a ping every second, and three of them unanswered. A host has 10 s
// for that, for another connection and for a report on it.
const PING_INTERVAL_MS = 1_000;
const MAX_UNANSWERED_PINGS = 3;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/** How long to wait after so many attempts in vain, in milliseconds; a fleet does not come back as one. */
export function pauseAfter(attempts: number, random: () => number = Math.random): number {
  const pause = Math.min(FIRST_PAUSE_MS * 2 ** Math.min(attempts, 10), LONGEST_PAUSE_MS);
  return Math.round(pause * (1 + random() / 2));
}

const addresses = (url: string) => url.split(',').map((one) => new URL(one.trim()));

/** The servers without anything secret, for what is said to people. */
export const placesOf = ({ url }: NatsServers) =>
  addresses(url)
    .map(({ protocol, host }) => `${protocol}//${host}`)
    .join(', ');

/** @throws BusError `failed` when the credential is no seed; the message does not hold it */
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
    // By itself the client dials the server that it has just lost again, and waits for that (seen with 3.4.0).
    reconnectToServer: (pool, info) => (info === null ? null : leastRecentlyDialled(pool)),
    // A host that is let in again later must find its way back by itself.
    ignoreAuthErrorAbort: true,
    noAsyncTraces: true,
  };
}

const leastRecentlyDialled = (pool: readonly Server[]): Server | null =>
  pool.toSorted((one, other) => one.lastConnect - other.lastConnect)[0] ?? null;

/**
 * The client checks a certificate against the address it dialled only when that is a name, and one of an IP address
 * against `localhost`. Here it has to be for one of the servers that the setting names, however each was found.
 */
function tls(all: URL[], caFile: string | undefined): NodeConnectionOptions['tls'] {
  const names = all.map(({ hostname }) => hostname.replace(/^\[|\]$/g, ''));
  const identify = (_dialled: string, certificate: PeerCertificate) => {
    const complaints = names.map((name) => checkServerIdentity(name, certificate));
    return complaints.includes(undefined) ? undefined : complaints[0];
  };
  return { ...(caFile !== undefined && { caFile }), ...{ checkServerIdentity: identify } };
}

function checkedSeed(seed: string): Uint8Array {
  try {
    return new TextEncoder().encode(nkeyOf(seed).seed);
  } catch (error) {
    throw new BusError('failed', (error as Error).message);
  }
}
