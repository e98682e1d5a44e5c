import type { X509Certificate } from 'node:crypto';
import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { LinkError } from './link.ts';

/**
 * A URL and the pin of the certificate that its server must present: `wss://<host>:<port>/<path>#<pin>`. It is
 * distributed over the bus, which authenticates both ends, so that host names, certificate authorities and clocks need
 * not be correct.
 */
export interface PinnedAddress {
  host: string;
  port: number;
  /** The URL without the pin. */
  url: string;
  /** SHA-256 of the certificate in DER, base64url: 43 characters. */
  pin: string;
}

const PIN = /^#([\w-]{43})$/;
const DEFAULT_PORT = 443;

export function pinOf(certificate: X509Certificate): string {
  return createHash('sha256').update(certificate.raw).digest('base64url');
}

/** @throws LinkError when the scheme is not `wss:`, or the pin is missing. */
export function parsePinnedAddress(address: string): PinnedAddress {
  const url = URL.parse(address);
  const pin = url ? PIN.exec(url.hash)?.[1] : undefined;
  if (!url || !pin || url.protocol !== 'wss:')
    throw new LinkError(
      `${address} must be a wss:// address that ends with # and the pin of the server’s certificate`,
    );
  url.hash = '';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return { host, port: Number(url.port) || DEFAULT_PORT, url: url.href, pin };
}

/**
 * Opens a TLS connection to the holder of the pinned certificate. Nothing is sent over it before the certificate has
 * been compared, so that the caller's data never reaches another server. The handshake itself proves that the other
 * end has the certificate's key. The caller owns the connection.
 * @throws LinkError when the server does not respond, shows another certificate, or the signal aborts first.
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
    // The pin authenticates the certificate, not a certificate authority
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
    else fail('presented an unexpected certificate; a proxy between them must not terminate TLS');
  });
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  return promise.finally(() => signal.removeEventListener('abort', abort));
}
