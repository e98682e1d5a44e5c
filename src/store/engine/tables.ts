import type { DeliveryState, InactiveCause, WebhookMessageType } from '../../contract/events/webhook.ts';
import type { AuditKind } from '../../contract/http/audit.ts';
import type { Role } from '../../contract/http/key.ts';
import type { AppStatus, EndReason, SessionStatus } from '../../contract/http/session.ts';
import type { DeviceCondition } from '../../domain/device-status.ts';
import type { Timestamp } from '../entities.ts';

/** Boolean column, stored as 0 or 1 in both databases. */
export type Flag = 0 | 1;

/** The rows as stored in the tables. The migrations document the columns. */
export interface Tables {
  accounts: {
    id: string;
    name: string;
    quota_minutes: number | null;
    max_sessions: number | null;
    max_app_bytes: number | null;
    live_sessions: number;
    created_at: Timestamp;
    disabled_at: Timestamp | null;
  };
  keys: {
    id: string;
    account_id: string;
    name: string;
    role: Role;
    hash: string;
    prefix: string;
    created_at: Timestamp;
    expires_at: Timestamp | null;
    revoked_at: Timestamp | null;
    last_used_at: Timestamp | null;
    last_used_from: string | null;
    user_id: string | null;
    signed_in: Flag;
    deleted_at: Timestamp | null;
  };
  users: {
    id: string;
    issuer: string;
    subject: string;
    account_id: string;
    name: string;
    email: string | null;
    role: Role;
    created_at: Timestamp;
    last_sign_in_at: Timestamp | null;
    disabled_at: Timestamp | null;
    ticket_hash: string | null;
    ticket_until: Timestamp | null;
  };
  hosts: {
    id: string;
    name: string;
    last_seen: Timestamp;
    lost: Flag;
    public_key: string | null;
    created_at: Timestamp | null;
    revoked_at: Timestamp | null;
  };
  devices: {
    id: string;
    host_id: string;
    name: string;
    brand: string;
    model: string;
    os_version: string;
    screen_size: string;
    resolution: string;
    epoch: number;
    clean_epoch: number;
    present: Flag;
    usable: Flag;
    problem: string | null;
    maintenance: Flag;
    maintenance_note: string | null;
    own_name: string | null;
    forgotten: Flag;
    status: DeviceCondition;
    group_id: string | null;
    claimed_by: string | null;
    claimed_at: Timestamp | null;
  };
  sessions: {
    id: string;
    device_id: string;
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
  };
  watch_links: {
    id: string;
    session_id: string;
    created_by: string;
    created_at: Timestamp;
    revoked_at: Timestamp | null;
  };
  apps: {
    id: string;
    account_id: string;
    sha256: string;
    size: number;
    stored_size: number | null;
    package: string;
    name: string;
    version: string;
    version_code: number;
    min_sdk: number | null;
    icon_type: 'image/png' | 'image/webp' | null;
    created_at: Timestamp;
    deleted_at: Timestamp | null;
  };
  usage: { account_id: string; month: string; minutes: number };
  idempotency_keys: {
    account_id: string;
    key: string;
    fingerprint: string;
    session_id: string | null;
    app_id: string | null;
    made_id: string | null;
    created_at: Timestamp;
  };
  secrets: { name: string; value: Uint8Array };
  device_groups: { id: string; name: string; created_at: Timestamp };
  group_accounts: { account_id: string; group_id: string };
  device_counts: {
    group_id: string;
    brand: string;
    os_version: string;
    status: DeviceCondition;
    slot: number;
    n: number;
  };
  fleet_hours: { hour: number; minute: number; sampled: number; offered: number };
  audit: {
    at: Timestamp;
    id: string;
    account_id: string | null;
    key_id: string | null;
    action: string;
    address: string | null;
    code: number;
    target_kind: AuditKind | null;
    target_id: string | null;
    other_kind: AuditKind | null;
    other_id: string | null;
    count: number;
  };
  events: {
    tx?: number;
    id: number;
    kind: 'device' | 'session';
    subject: string;
    account_id: string | null;
    group_id: string | null;
    at: Timestamp;
  };
  waiter_processes: { id: string; alive_until: Timestamp };
  waiters: {
    place: number;
    id: string;
    process_id: string;
    account_id: string;
    key_id: string;
    brand: string;
    os_version: string;
    model: string;
    minutes: number;
    app_id: string | null;
    idempotency_key: string | null;
    fingerprint: string | null;
    created_at: Timestamp;
  };
  webhooks: {
    id: string;
    account_id: string;
    url: string;
    /** JSON array of event names. */
    events: string;
    description: string | null;
    secret: Uint8Array;
    previous_secret: Uint8Array | null;
    previous_until: Timestamp | null;
    active: Flag;
    inactive_cause: InactiveCause | null;
    inactive_reason: string | null;
    failing_since: Timestamp | null;
    missed: Flag;
    due_at: Timestamp | null;
    holder: string | null;
    created_at: Timestamp;
  };
  webhook_deliveries: {
    id: string;
    webhook_id: string;
    place: number;
    event: WebhookMessageType;
    data: string;
    state: DeliveryState;
    attempts: number;
    created_at: Timestamp;
    due_at: Timestamp | null;
    claim: string | null;
    last_attempt_at: Timestamp | null;
    last_status: number | null;
    last_error: string | null;
    delivered_at: Timestamp | null;
  };
  webhook_fan_out: { id: 1; cursor: string | null };
  migrations: { id: number; name: string; applied_at: Timestamp; livable_since?: number | null };
}
