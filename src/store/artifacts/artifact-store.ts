import type { ArtifactKind } from '../../contract/http/artifact.ts';
import type { QuotaShortfall } from '../../domain/refusals.ts';
import type { AuditEvent } from '../audit/audit-store.ts';
import type { SessionRow, Timestamp } from '../entities.ts';

/** Properties of an artifact, as its host reports them. */
export interface ArtifactFacts {
  /** Unique in the session. */
  name: string;
  kind: ArtifactKind;
  /** Bytes. */
  size: number;
  /** From the start of the recording, and its length, in milliseconds. */
  offsetMs: number;
  durationMs: number | null;
  width: number | null;
  height: number | null;
}

export interface ArtifactRow extends ArtifactFacts {
  id: string;
  sessionId: string;
  accountId: string;
  createdAt: Timestamp;
}

/** The lease of a recording, as its host names it. */
export interface RecordedLease {
  sessionId: string;
  epoch: number;
  hostId: string;
}

/** Which artifact. `accountId`: only if it belongs to this account. */
export interface ArtifactQuery {
  artifactId: string;
  sessionId: string;
  accountId?: string;
}

/**
 * `isStored`: the artifact was uploaded earlier. `no-recording`: this host has not served such a lease or is revoked, or
 * the lease is not recorded. `finished`: the host has finished this recording, and the artifact was deleted since then.
 * `quota`: an artifact with this name and at most `room` bytes can be reserved, or is reserved already.
 */
export type ReserveArtifactOutcome =
  | { ok: true; artifact: ArtifactRow; isStored: boolean }
  | {
      ok: false;
      refusal:
        | { why: 'no-recording' }
        | { why: 'finished' }
        | { why: 'too-many' }
        | { why: 'quota'; shortfall: QuotaShortfall; room: number };
    };

/** The artifacts of recorded sessions. */
export interface ArtifactStore {
  /** Remaining artifact storage of the account, bytes; null: unlimited. */
  getArtifactRoom(accountId: string): Promise<number | null>;
  /**
   * Reserves space for an artifact before its upload. Its size counts against the account's quota from now on, until it
   * is purged. A repeat with the same name returns the same artifact, also if it was stored and then deleted. Until it is
   * stored, a repeat with other facts replaces it: the artifact then has another identifier, and an upload that is still
   * in progress for the earlier identifier is not stored.
   */
  reserveArtifact(
    lease: RecordedLease,
    artifact: ArtifactFacts,
    limits: { maxArtifacts: number },
  ): Promise<ReserveArtifactOutcome>;
  /**
   * Called when the content of the artifact is stored. Idempotent. Returns false when it was deleted meanwhile; the
   * content must then be removed.
   */
  storeArtifact(artifactId: string): Promise<boolean>;
  /**
   * Marks the recording as finished. Idempotent: it replaces the detail only if the recording was marked as finished
   * without its host. null: this host has not served such a lease, or it is not recorded.
   */
  finishRecording(lease: RecordedLease, detail: string | null): Promise<SessionRow | null>;
  /**
   * Marks at most `limit` recordings as finished although their hosts did not finish them: those of sessions that ended
   * more than `silentMs` ago and have no artifact that was reserved or stored since then, and those of sessions that
   * were never connected. Their hosts may still upload artifacts. Returns the sessions.
   */
  failSilentRecordings(options: { silentMs: number; limit: number }): Promise<SessionRow[]>;
  /** The artifacts that are stored and not deleted, by their offset. null: the account has no such session. */
  listArtifacts(query: { sessionId: string; accountId?: string }): Promise<ArtifactRow[] | null>;
  /** null: the session has no such artifact, or belongs to another account. */
  getArtifact(query: ArtifactQuery): Promise<ArtifactRow | null>;
  /** null: as for `getArtifact`. */
  deleteArtifact(
    query: ArtifactQuery & { accountId: string },
    audit?: AuditEvent,
  ): Promise<ArtifactRow | null>;
  /**
   * Marks at most `limit` artifacts as deleted that are older than their account keeps them, with an audit entry for
   * each session, and artifacts whose upload began more than `abandonedMs` ago. Returns their number.
   */
  expireArtifacts(options: { limit: number; abandonedMs: number }): Promise<number>;
  /** Returns at most `limit` deleted artifacts, so that their content can be deleted. */
  listDeletedArtifacts(limit: number): Promise<string[]>;
  /**
   * Deletes the rows of deleted artifacts, once their content has been deleted. Until its recording is finished, an
   * artifact that was stored keeps an empty row, so that a host that repeats its upload does not restore it.
   */
  purgeArtifacts(artifactIds: string[]): Promise<void>;
}
