import type { SocketOrigins } from '../access/socket-address.ts';
import type { Log } from '../util/log.ts';
import { isLoopback } from '../util/loopback.ts';
import type { Config } from './config.ts';
import type { Role } from './roles.ts';

/**
 * Without settings, the addresses of sockets name this machine as localhost. Clients on other machines can then use the
 * API, but not the sockets of its sessions.
 */
export function completeOrigins(
  { config, log }: { config: Pick<Config, 'host' | 'trustedProxies'>; log: Pick<Log, 'warn'> },
  { origins, port, roles }: { origins: SocketOrigins; port: number; roles: readonly Role[] },
): void {
  const missing = [
    ...(origins.stream === '' ? ['PHONEBOOTH_STREAM_URL'] : []),
    ...(origins.control === '' ? ['PHONEBOOTH_CONTROL_URL'] : []),
  ];
  origins.stream ||= `wss://localhost:${port}`;
  origins.control ||= `wss://127.0.0.1:${port}`;
  const isPublic = !isLoopback(config.host) || config.trustedProxies.length > 0;
  if (!roles.includes('api') || !isPublic || missing.length === 0) return;
  log.warn(
    { missing },
    'clients on other machines cannot open the sockets, because their URLs name this machine as localhost; set the ' +
      'missing settings to the public addresses',
  );
}
