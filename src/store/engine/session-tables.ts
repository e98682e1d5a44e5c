import type { ArtifactKind } from '../../contract/http/artifact.ts';
import type { AppStatus, EndReason, SessionStatus } from '../../contract/http/session.ts';
import type { WatchLinkSubject } from '../../contract/http/watch-link.ts';
import type { Timestamp } from '../entities.ts';

/** Boolean column, stored as 0 or 1 in both databases. */
export type Flag = 0 | 1;

/** The rows of sessions and of what belongs to them, as in `Tables`. */
export interface SessionTables {
  sessions: {
    id: string;
    device_id: string;
    device_name: string | null;
    device_model: string | null;
    creator_id: string | null;
    creator_name: string | null;
    host_id: string;
    account_id: string;
    key_id: string;
    epoch: number;
    status: SessionStatus;
    created_at: Timestamp;
    connected_at: Timestamp | null;
    expires_at: Timestamp;
    ended_at: Timestamp | null;
    end_reason: EndReason | null;
    end_detail: string | null;
    app_id: string | null;
    app_status: AppStatus | null;
    app_error: string | null;
    app_request: number;
    month: string;
    minutes_reserved: number;
    minutes_next_month: number;
    minutes_charged: number | null;
    record: Flag;
    record_text: Flag;
    recording_finished_at: Timestamp | null;
    recording_silent: Flag;
    recording_detail: string | null;
    recording_artifacts: number;
  };
  artifacts: {
    id: string;
    session_id: string;
    account_id: string;
    name: string;
    kind: ArtifactKind;
    size: number;
    offset_ms: number;
    duration_ms: number | null;
    width: number | null;
    height: number | null;
    created_at: Timestamp;
    stored_at: Timestamp | null;
    deleted_at: Timestamp | null;
    purged_at: Timestamp | null;
  };
  watch_links: {
    id: string;
    session_id: string;
    created_by: string;
    created_at: Timestamp;
    revoked_at: Timestamp | null;
    shows: WatchLinkSubject;
    expires_at: Timestamp | null;
  };
}
