import type { SocketOrigins } from '../access/socket-address.ts';
import type { Log } from '../util/log.ts';
import { isLoopback } from '../util/loopback.ts';
import type { Config } from './config.ts';

/**
 * Returns the origins of the sockets. Without settings they name this machine as localhost. Clients on other machines
 * can then use the API, but not the sockets of its sessions.
 */
export function socketOrigins(
  { streamUrl, controlUrl }: Pick<Config, 'streamUrl' | 'controlUrl'>,
  tlsPort: number,
): SocketOrigins {
  return {
    stream: streamUrl ?? `wss://localhost:${tlsPort}`,
    control: controlUrl ?? `wss://127.0.0.1:${tlsPort}`,
  };
}

/** Warns an operator of a service that other machines can reach, but not its sockets. */
export function warnOfLocalOrigins({
  config,
  log,
}: {
  config: Pick<Config, 'host' | 'trustedProxies' | 'streamUrl' | 'controlUrl'>;
  log: Pick<Log, 'warn'>;
}): void {
  const missing = [
    ...(config.streamUrl === null ? ['PHONEBOOTH_STREAM_URL'] : []),
    ...(config.controlUrl === null ? ['PHONEBOOTH_CONTROL_URL'] : []),
  ];
  const isPublic = !isLoopback(config.host) || config.trustedProxies.length > 0;
  if (!isPublic || missing.length === 0) return;
  log.warn(
    { missing },
    'clients on other machines cannot open the sockets, because their URLs name this machine as localhost; set the ' +
      'missing settings to the public addresses',
  );
}
