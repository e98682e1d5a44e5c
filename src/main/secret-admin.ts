import { SEALING_KEY } from '../api/sign-in/seal.ts';
import { silentLog } from '../util/log.ts';
import { commandEvent } from './command-event.ts';
import type { Config } from './config.ts';
import { ensureDataFolder } from './data-folder.ts';
import { openConfiguredStore } from './open-configured-store.ts';

/** The name in the store of the key that signs socket addresses. */
export const SOCKET_TOKEN = 'socket-token';

/**
 * Rotates the keys that sign socket addresses and encrypt sign-ins. Addresses that were already issued, and sign-ins
 * in progress, remain valid until the next rotation.
 */
export async function rotateTokens(config: Config): Promise<void> {
  await ensureDataFolder(config.dataDir);
  await using store = await openConfiguredStore(config, silentLog);
  await store.rotateSecrets([SOCKET_TOKEN, SEALING_KEY], commandEvent('tokens.rotate'));
}
