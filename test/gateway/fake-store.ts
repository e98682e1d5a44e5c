import type { EndReason } from '../../src/contract/http/session.ts';
import type { AppRow } from '../../src/store/apps/app-store.ts';
import type { AuditEvent } from '../../src/store/audit/audit-store.ts';
import type { KeyRow, SessionRow } from '../../src/store/entities.ts';
import { type Store, StoreUnavailableError } from '../../src/store/store.ts';

/** The part of a store that the gateways use: rows in memory, and a switch that makes it unavailable. */
export class FakeStore
  implements
    Pick<
      Store,
      'getSession' | 'getSessions' | 'validGrants' | 'extend' | 'getApp' | 'getKey' | 'getArtifactRoom'
    >
{
  away = false;
  /** Result that `extend` returns instead of extending. */
  refusal: Exclude<Awaited<ReturnType<Store['extend']>>, null | { ok: true }> | null = null;
  /** Audit events of changes, which the store commits together with the change. */
  readonly audited: AuditEvent[] = [];
  /** Grants that are no longer valid. All others are valid. */
  readonly invalidGrants = new Set<string>();
  private readonly rows = new Map<string, SessionRow & { endsAt: number }>();

  add(row: Partial<SessionRow> & { id: string }): SessionRow {
    const { remainingMs = 600_000 } = row;
    const full = {
      deviceId: 'd1',
      deviceName: 'Pixel',
      deviceModel: 'Pixel 9',
      createdBy: null,
      hostId: 'h1',
      accountId: 'a1',
      keyId: 'k1',
      epoch: 7,
      status: 'connected' as const,
      createdAt: 1_000_000,
      connectedAt: 1_000_500,
      expiresAt: 1_000_000 + remainingMs,
      endedAt: null,
      endReason: null,
      endDetail: null,
      appId: null,
      appStatus: null,
      appError: null,
      appRequest: 0,
      recording: null,
      minutesReserved: 10,
      minutesCharged: null,
      remainingMs,
      ...row,
      endsAt: performance.now() + remainingMs,
    };
    this.rows.set(row.id, full);
    return this.read(full);
  }

  change(id: string, change: Partial<SessionRow>): SessionRow {
    const row = Object.assign(this.rows.get(id)!, change);
    return this.read(row);
  }

  end(id: string, reason: EndReason, detail: string | null = null): SessionRow {
    return this.change(id, { status: 'disconnected', endReason: reason, endDetail: detail });
  }

  prolong(id: string, minutes: number): SessionRow {
    const row = this.rows.get(id)!;
    row.endsAt += minutes * 60_000;
    row.expiresAt += minutes * 60_000;
    row.minutesReserved += minutes;
    return this.read(row);
  }

  async getSession(id: string): Promise<SessionRow | null> {
    this.check();
    const row = this.rows.get(id);
    return row ? this.read(row) : null;
  }

  async getSessions(ids: string[]): Promise<SessionRow[]> {
    this.check();
    return ids.flatMap((id) => this.rows.get(id) ?? []).map((row) => this.read(row));
  }

  /** Only called for recorded sessions. */
  async getArtifactRoom(): Promise<null> {
    return null;
  }

  async validGrants(ids: string[]): Promise<string[]> {
    this.check();
    return ids.filter((id) => !this.invalidGrants.has(id));
  }

  /** Every key is named after its id. `k2` was issued to a user who signed in. */
  async getKey(id: string): Promise<KeyRow | null> {
    this.check();
    const user = id === 'k2' ? { id: 'u2', name: 'Ana' } : null;
    return { id, name: `key ${id}`, user } as KeyRow;
  }

  async extend({ sessionId, minutes }: { sessionId: string; minutes: number }, audit?: AuditEvent) {
    this.check();
    if (this.refusal) return this.refusal;
    if (audit) this.audited.push(Object.assign(audit, { isRecorded: true }));
    return { ok: true as const, session: this.prolong(sessionId, minutes) };
  }

  /** Every account has an app that is named after it. */
  async getApp(id: string, accountId: string): Promise<AppRow | null> {
    this.check();
    if (id !== `app-of-${accountId}`) return null;
    return {
      id,
      accountId,
      sha256: 'aa',
      size: 1,
      storedSize: 1,
      packageName: 'com.example',
      name: 'Example',
      version: '1',
      versionCode: 1,
      minSdk: null,
      iconType: null,
      createdAt: 0,
    };
  }

  private check(): void {
    if (this.away) throw new StoreUnavailableError(new Error('unplugged'));
  }

  private read({ endsAt, ...row }: SessionRow & { endsAt: number }): SessionRow {
    return { ...row, remainingMs: Math.round(endsAt - performance.now()) };
  }
}
