import { SECRET } from '../access/secret-names.ts';
import type { StoreSettings } from '../store/open-store.ts';
import { commandEvent } from './command-event.ts';
import { openStoreForCommand } from './open-store.ts';

/**
 * Rotates the keys that sign socket addresses and encrypt sign-ins. Addresses that were already issued, and sign-ins
 * in progress, remain valid until the next rotation.
 */
export async function rotateTokens(config: StoreSettings): Promise<void> {
  await using store = await openStoreForCommand(config);
  await store.rotateSecrets([SECRET.socketToken, SECRET.signIn], commandEvent('tokens.rotate'));
}
