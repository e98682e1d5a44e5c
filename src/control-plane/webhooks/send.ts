import { type LookupAddress, lookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { DELIVERY_TIMEOUT_S } from '../../contract/events/webhook.ts';
import { isPublicAddress } from '../../util/public-address.ts';
import { isKnownPrivate } from './receiver-url.ts';

/** Maximum size of a response that is read. Only its status matters; the rest is discarded. */
const MAX_ANSWER_BYTES = 4_096;

export interface Sent {
  /** null if there was no response. */
  status: number | null;
  /** The reason for the failure, without any address; null if the message was delivered. */
  error: string | null;
}

export interface SendOptions {
  /** Whether connections to addresses outside the public Internet are allowed. */
  mayBePrivate: boolean;
  timeoutMs?: number;
  signal?: AbortSignal;
  /** Resolver for host names when only public addresses are allowed. */
  resolver?: NameResolver;
}

type NameResolver = Pick<Resolver, 'resolve4' | 'resolve6'>;

/** Both attempts complete well within the receiver's timeout. */
const dns = new Resolver({ timeout: 1_500, tries: 2 });

class NotPublicError extends Error {}

/** Posts one message. Never throws. It does not follow redirects or use a proxy. */
export async function sendMessage(
  url: string,
  message: { body: string; headers: Record<string, string> },
  { mayBePrivate, timeoutMs = DELIVERY_TIMEOUT_S * 1000, signal, resolver = dns }: SendOptions,
): Promise<Sent> {
  const late = AbortSignal.timeout(timeoutMs);
  try {
    const target = new URL(url);
    // For a literal IP address Node calls no lookup, so it is checked here.
    if (!mayBePrivate && isKnownPrivate(target)) throw new NotPublicError();
    const status = await post(target, message, {
      // The system resolver also knows /etc/hosts and names of the local network.
      lookup: mayBePrivate ? lookup : lookupPublic(resolver),
      signal: signal ? AbortSignal.any([late, signal]) : late,
    });
    return { status, error: status >= 200 && status < 300 ? null : explainStatus(status) };
  } catch (error) {
    const words = late.aborted ? `no response within ${timeoutMs / 1000} s` : explainFailure(error);
    return { status: null, error: words };
  }
}

function post(
  target: URL,
  { body, headers }: { body: string; headers: Record<string, string> },
  options: { lookup: LookupFunction; signal: AbortSignal },
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const request: RequestOptions = {
    ...options,
    method: 'POST',
    // A new connection for each message, closed after the response. No connection is reused after the check of its
    // address.
    agent: false,
    headers: { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' },
  };
  const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
  send(target, request)
    .on('error', reject)
    .on('response', (response) => void readStatus(response).then(resolve, reject))
    // Without this listener, Node closes the connection and emits neither a response nor an error.
    .on('upgrade', (response, socket) => {
      socket.destroy();
      resolve(response.statusCode!);
    })
    .end(body);
  return promise;
}

/** Returns the status after the whole response was read, or more than `MAX_ANSWER_BYTES` of it. */
async function readStatus(response: IncomingMessage): Promise<number> {
  let bytes = 0;
  for await (const chunk of response) {
    bytes += (chunk as Buffer).length;
    if (bytes > MAX_ANSWER_BYTES) break;
  }
  response.destroy();
  return response.statusCode!;
}

/**
 * Resolves a name to its public addresses only. The connection itself uses this lookup, so a name that resolves to
 * another address later (DNS rebinding) cannot bypass the check. The resolver does not use getaddrinfo, which has
 * only four threads for the whole process: names whose servers do not respond would occupy all of them.
 */
export function lookupPublic(resolver: NameResolver): LookupFunction {
  return (hostname, options, callback) => {
    resolveAll(resolver, hostname, Number(options.family ?? 0)).then(
      (addresses) => {
        const open = addresses.filter(({ address }) => isPublicAddress(address));
        if (open.length === 0) return callback(new NotPublicError(), '');
        if (options.all) return callback(null, open);
        callback(null, open[0]!.address, open[0]!.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    );
  };
}

/** @throws the resolver's error when there is no address at all */
async function resolveAll(
  resolver: NameResolver,
  hostname: string,
  family: number,
): Promise<LookupAddress[]> {
  const answers = await Promise.allSettled([
    family === 6 ? [] : resolver.resolve4(hostname),
    family === 4 ? [] : resolver.resolve6(hostname),
  ]);
  const addresses = answers.flatMap((answer, index) => {
    if (answer.status === 'rejected') return [];
    return answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 }));
  });
  const failed = answers.find((answer) => answer.status === 'rejected');
  if (addresses.length === 0 && failed) throw failed.reason;
  return addresses;
}

function explainStatus(status: number): string {
  if (status >= 300 && status < 400)
    return `the receiver answered ${status}; redirects are not followed, so set the URL that it redirects to`;
  return `the receiver answered ${status}`;
}

const CODES: Record<string, string> = {
  ECONNREFUSED: 'the receiver refused the connection',
  ECONNRESET: 'the receiver reset the connection',
  EPIPE: 'the receiver reset the connection',
  ENOTFOUND: 'the host name of the receiver does not exist',
  ENODATA: 'the host name of the receiver has no address',
  EAI_AGAIN: 'the host name of the receiver could not be resolved',
  ESERVFAIL: 'the host name of the receiver could not be resolved',
  ETIMEOUT: 'the host name of the receiver could not be resolved in time',
  EHOSTUNREACH: 'the address of the receiver cannot be reached',
  ENETUNREACH: 'the address of the receiver cannot be reached',
  ETIMEDOUT: 'the connection to the receiver timed out',
  EPROTO: 'the TLS handshake with the receiver failed',
  ERR_STREAM_PREMATURE_CLOSE: 'the receiver reset the connection',
  ABORT_ERR: 'this server shut down during the attempt',
};

/** Node's errors contain addresses and certificates. The returned text contains neither. */
function explainFailure(error: unknown): string {
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  if (cause instanceof NotPublicError) {
    return (
      'the address is not on the public Internet; an operator can allow private networks with ' +
      'PHONEBOOTH_WEBHOOKS_PRIVATE_NETWORKS'
    );
  }
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (CODES[code]) return CODES[code];
  if (/CERT|SELF_SIGNED|UNABLE_TO|HOSTNAME/.test(code))
    return `the certificate of the receiver is invalid (${code})`;
  if (/^(ERR_SSL|HPE_)/.test(code)) return `the response of the receiver is not valid HTTP (${code})`;
  return code === '' ? 'the message could not be sent' : `the message could not be sent (${code})`;
}
