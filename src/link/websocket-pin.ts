import type { X509Certificate } from 'node:crypto';
import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { LinkError } from './link.ts';

/**
 * An address and the one certificate that may answer there: `wss://<host>:<port>/<path>#<pin>`. It is handed out over
 * the bus, whose two ends know each other, so that neither names nor authorities nor clocks have to be right.
 */
export interface PinnedAddress {
  host: string;
  port: number;
  /** Without the pin. */
  url: string;
  /** SHA-256 of the certificate in DER, base64url: 43 characters. */
  pin: string;
}

const PIN = /^#([\w-]{43})$/;
const DEFAULT_PORT = 443;

export function pinOf(certificate: X509Certificate): string {
  return createHash('sha256').update(certificate.raw).digest('base64url');
}

/** @throws LinkError when it is not `wss:`, or has no pin. */
export function parsePinnedAddress(address: string): PinnedAddress {
  const url = URL.parse(address);
  const pin = url ? PIN.exec(url.hash)?.[1] : undefined;
  if (!url || !pin || url.protocol !== 'wss:')
    throw new LinkError(`${address} is not an address with the certificate that answers there`);
  url.hash = '';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return { host, port: Number(url.port) || DEFAULT_PORT, url: url.href, pin };
}

/**
 * A TLS connection to the holder of the pinned certificate. Nothing is sent over it before the certificate has been
 * compared: whatever the caller has to say never reaches anyone else. The handshake itself proves that the other end
 * has the certificate's key. The caller owns the connection.
 * @throws LinkError when nobody answers, another certificate is shown, or the signal aborts first.
 */
export function connectPinned(
  { host, port, pin }: Pick<PinnedAddress, 'host' | 'port' | 'pin'>,
  signal: AbortSignal,
): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
  const socket = connect({
    host,
    port,
    servername: isIP(host) ? '' : host,
    minVersion: 'TLSv1.3',
    // No authority vouches for the certificate: the pin does.
    rejectUnauthorized: false,
  });
  const fail = (problem: string) => {
    socket.destroy();
    reject(new LinkError(`${host}:${port} ${problem}`));
  };
  const abort = () => fail('did not answer in time');
  socket.on('error', (error) => fail(`cannot be reached: ${error.message}`));
  socket.once('close', () => fail('closed the connection'));
  socket.once('secureConnect', () => {
    const certificate = socket.getPeerX509Certificate();
    if (certificate && pinOf(certificate) === pin) resolve(socket);
    else fail('shows another certificate than it should');
  });
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  return promise.finally(() => signal.removeEventListener('abort', abort));
}
