import type { WatchLink } from '../../../contract/http/watch-link.ts';
import { iso, isoOrNull } from '../../../control-plane/iso.ts';
import type { WatchLinkRow } from '../../../store/sessions/watch-link-store.ts';

export function toWatchLink(row: WatchLinkRow): WatchLink {
  return {
    id: row.id,
    session_id: row.sessionId,
    shows: row.shows,
    expires_at: isoOrNull(row.expiresAt),
    created_by: row.createdBy,
    user: row.user,
    created_at: iso(row.createdAt),
    revoked_at: isoOrNull(row.revokedAt),
  };
}
