import type { Socket } from 'node:net';

/**
 * Identifies a connection by the addresses of its two ends. A TCP connection and the TLS connection on it have the
 * same identifier, since their sockets have no reference to each other.
 */
export const endpointsOf = ({ remoteAddress, remotePort, localAddress }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress}`;
