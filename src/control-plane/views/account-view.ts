import type { Account } from '../../contract/http/account.ts';
import type { AccountUse } from '../../store/accounts/account-store.ts';
import { iso, isoOrNull } from '../iso.ts';

export function toAccount(row: AccountUse): Account {
  return {
    id: row.id,
    name: row.name,
    quota_minutes: row.quotaMinutes,
    max_sessions: row.maxSessions,
    max_app_bytes: row.maxAppBytes,
    record_sessions: row.recordSessions,
    max_artifact_bytes: row.maxArtifactBytes,
    artifact_days: row.artifactDays,
    disabled_at: isoOrNull(row.disabledAt),
    created_at: iso(row.createdAt),
    minutes_used: row.minutesUsed,
    live_sessions: row.liveSessions,
    app_bytes: row.appBytes,
    artifact_bytes: row.artifactBytes,
  };
}
