import type { Page } from '../../contract/http/page.ts';
import type { ConnectRefusal, RequestAppRefusal } from '../../domain/refusals.ts';
import type { AuditEvent } from '../audit/audit-store.ts';
import type { Idempotency, Paging, SessionRow } from '../entities.ts';

/** Metadata of an uploaded app. */
export interface AppFacts {
  /** SHA-256 (hex) of the uploaded file; `size` is its size in bytes. */
  sha256: string;
  size: number;
  /** Disk space that its files take, bytes. */
  storedSize: number;
  packageName: string;
  name: string;
  version: string;
  versionCode: number;
  minSdk: number | null;
  /** Media type of its icon; null: it has no icon. */
  iconType: 'image/png' | 'image/webp' | null;
}

export interface AppRow extends AppFacts {
  id: string;
  accountId: string;
  /** Unix milliseconds. */
  createdAt: number;
}

/**
 * `created` is false when the account already has an app with the same bytes; `app` is then that existing app.
 */
export type CreateAppOutcome =
  | { ok: true; app: AppRow; created: boolean }
  | {
      ok: false;
      refusal: Extract<ConnectRefusal, { why: 'key-invalid' | 'idempotency-conflict' | 'quota' }>;
    };

export interface CreateAppCommand {
  /** The key of the upload. Nothing is stored if it was revoked while the file arrived. */
  keyId: string;
  app: AppFacts & { id: string; accountId: string };
  /** Maximum number of apps of the account. */
  maxApps: number;
  idempotency: Idempotency | null;
}

export interface RequestAppCommand {
  sessionId: string;
  accountId: string;
  appId: string;
  idempotency: Idempotency | null;
}

/** null: the account has no session with this identifier. */
export type RequestAppOutcome =
  | { ok: true; session: SessionRow; replayed: boolean }
  | { ok: false; refusal: RequestAppRefusal }
  | null;

/** Uploaded apps, and their installation on sessions. */
export interface AppStore {
  /**
   * Stores the metadata of an uploaded app. Uploading the same bytes to the same account again yields the same app.
   */
  createApp(command: CreateAppCommand, audit?: AuditEvent): Promise<CreateAppOutcome>;
  getApp(appId: string, accountId: string): Promise<AppRow | null>;
  /**
   * Returns an app of any account, including a deleted app whose files are still kept, so that a host can install it.
   */
  getKeptApp(appId: string): Promise<AppRow | null>;
  /** Newest first. */
  listApps(query: { accountId: string } & Paging): Promise<Page<AppRow>>;
  /** Returns false when the account has no such app. Sessions that already requested the app still get it. */
  deleteApp(appId: string, accountId: string, audit?: AuditEvent): Promise<boolean>;
  /**
   * Returns at most `limit` deleted apps that no live session waits for, so that their files can be deleted.
   */
  listUnneededApps(limit: number): Promise<string[]>;
  /** Deletes the rows of deleted apps, once their files have been deleted. */
  purgeApps(appIds: string[]): Promise<void>;
  /** Returns at most `limit` apps that were stored by a version that did not measure their size on disk. */
  listUnmeasuredApps(limit: number): Promise<string[]>;
  recordStoredSize(appId: string, bytes: number): Promise<void>;
  /** Requests the installation of an app on a connected session. */
  requestApp(command: RequestAppCommand, audit?: AuditEvent): Promise<RequestAppOutcome>;
}
