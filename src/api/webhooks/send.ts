import { type LookupAddress, lookup } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { DELIVERY_TIMEOUT_S } from '../../contract/webhook.ts';
import { isPublicAddress } from '../../util/public-address.ts';
import { addressIn } from './receiver-url.ts';

/** Read of an answer, of which nothing but its status matters; the rest is cut off. */
const MAX_ANSWER_BYTES = 4_096;

export interface Sent {
  /** null: there was no answer. */
  status: number | null;
  /** What went wrong, in words that name no address; null: the receiver has it. */
  error: string | null;
}

export interface SendOptions {
  /** Whether addresses that are not of the public Internet may be connected to. */
  mayBePrivate: boolean;
  timeoutMs?: number;
  signal?: AbortSignal;
  /** What names are looked up with, where only public addresses will do. */
  resolver?: NameResolver;
}

type NameResolver = Pick<Resolver, 'resolve4' | 'resolve6'>;

/** Done well within a receiver's time. */
const dns = new Resolver({ timeout: 1_500, tries: 2 });

class NotPublicError extends Error {}

/** Posts one message. Never throws. Redirects are not followed, and no proxy is asked. */
export async function sendMessage(
  url: string,
  message: { body: string; headers: Record<string, string> },
  { mayBePrivate, timeoutMs = DELIVERY_TIMEOUT_S * 1000, signal, resolver = dns }: SendOptions,
): Promise<Sent> {
  const late = AbortSignal.timeout(timeoutMs);
  try {
    const target = new URL(url);
    const literal = addressIn(target);
    // An address needs no lookup, and the guard would not be asked
    if (literal !== null && !mayBePrivate && !isPublicAddress(literal)) throw new NotPublicError();
    const status = await post(target, message, {
      // The system's own way knows /etc/hosts, and names of its network
      lookup: mayBePrivate ? lookup : lookupPublic(resolver),
      signal: signal ? AbortSignal.any([late, signal]) : late,
    });
    return { status, error: status >= 200 && status < 300 ? null : explainStatus(status) };
  } catch (error) {
    const words = late.aborted ? `no answer within ${timeoutMs / 1000} s` : explainFailure(error);
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
    // A connection of its own, which ends with the answer: none outlives the check of its address
    agent: false,
    headers: { ...headers, 'content-length': Buffer.byteLength(body), connection: 'close' },
  };
  const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
  send(target, request)
    .on('error', reject)
    .on('response', (response) => void readStatus(response).then(resolve, reject))
    .end(body);
  return promise;
}

/** Once the answer is over, or longer than anybody needs. */
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
 * What a name stands for, without addresses that are not public. It is asked for the connection itself, so a name that
 * stands for another address by then changes nothing. DNS is asked by a resolver that takes no thread: getaddrinfo has four for all
 * of this process, and names whose servers do not answer would fill them.
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

/** @throws what the resolver threw, when there is no address at all */
async function resolveAll(
  resolver: NameResolver,
  hostname: string,
  family: number,
): Promise<LookupAddress[]> {
  // Of this machine, whatever DNS says: RFC 6761, section 6.3
  if (/(^|\.)localhost\.?$/i.test(hostname)) return [];
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
  if (status >= 300 && status < 400) return `answered ${status}; redirects are not followed`;
  return `answered ${status}`;
}

const CODES: Record<string, string> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  ENOTFOUND: 'its name is not known',
  ENODATA: 'its name has no address',
  EAI_AGAIN: 'its name could not be looked up',
  ESERVFAIL: 'its name could not be looked up',
  ETIMEOUT: 'its name could not be looked up in time',
  EHOSTUNREACH: 'its address cannot be reached',
  ENETUNREACH: 'its address cannot be reached',
  ETIMEDOUT: 'the connection took too long',
  EPROTO: 'it does not speak TLS as it should',
  ERR_STREAM_PREMATURE_CLOSE: 'the connection was cut',
  ABORT_ERR: 'this server stopped meanwhile',
};

/** Errors of Node name addresses and certificates; what is told names neither. */
function explainFailure(error: unknown): string {
  const cause = error instanceof AggregateError ? error.errors[0] : error;
  if (cause instanceof NotPublicError) {
    return 'its address is not one of the public Internet, and this service may send to no other';
  }
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  if (CODES[code]) return CODES[code];
  if (/CERT|SELF_SIGNED|UNABLE_TO|HOSTNAME/.test(code)) return `its certificate is not good (${code})`;
  if (/^(ERR_SSL|HPE_)/.test(code)) return `it does not speak HTTP as it should (${code})`;
  return code === '' ? 'it could not be sent' : `it could not be sent (${code})`;
}
