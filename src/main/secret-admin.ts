import { SEALING_KEY } from '../api/sign-in/seal.ts';
import { silentLog } from '../util/log.ts';
import { commandEvent } from './command-event.ts';
import type { Config } from './config.ts';
import { ensureDataFolder } from './data-folder.ts';
import { openConfiguredStore } from './open-configured-store.ts';

/** In the store: what signs the addresses of sockets. */
export const SOCKET_TOKEN = 'socket-token';

/**
 * Has the addresses of sockets signed by another key, and sign-ins sealed by another; addresses that were handed out before, and
 * sign-ins that began before, go on until the next time.
 */
export async function rotateTokens(config: Config): Promise<void> {
  await ensureDataFolder(config.dataDir);
  await using store = await openConfiguredStore(config, silentLog);
  await store.rotateSecrets([SOCKET_TOKEN, SEALING_KEY], commandEvent('tokens.rotate'));
}
