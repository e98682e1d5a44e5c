import type { Socket } from 'node:net';

/** Names a connection by its two ends: the same for a TCP connection and for the TLS on it, whose sockets do not know each other. */
export const endsOf = ({ remoteAddress, remotePort, localAddress }: Socket): string =>
  `${remoteAddress} ${remotePort} ${localAddress}`;
