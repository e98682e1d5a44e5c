import type { Device } from '../../contract/http/device.ts';
import type { Session } from '../../contract/http/session.ts';
import type { Usage } from '../../contract/http/usage.ts';

/**
 * Who uses a phone, as far as the account can see. available: no session holds it. yours: the user of the console, or
 * another client of an account without users. colleague: another user or key of the account. busy: another account, or
 * the phone is being prepared or cleaned.
 */
export type Standing =
  | { state: 'available' }
  | { state: 'yours' | 'busy'; until: string | null }
  | { state: 'colleague'; name: string; until: string | null };

/** @param session the account's live session on the phone */
export function standingOf(
  device: Pick<Device, 'status' | 'free_at'>,
  session: Pick<Session, 'created_by' | 'expires_at'> | undefined,
  user: Usage['user'] | undefined,
): Standing {
  if (session) {
    const { created_by: creator, expires_at: until } = session;
    const isColleague = creator !== null && creator.user_id !== (user?.id ?? null);
    return isColleague ? { state: 'colleague', name: creator.name, until } : { state: 'yours', until };
  }
  return device.status === 'available' ? { state: 'available' } : { state: 'busy', until: device.free_at };
}
