import type { AuditEvent } from '../audit/audit-store.ts';
import { audited } from '../audit/audited.ts';
import { all, type Engine, first, type Sql, sql, type Transaction } from '../engine/engine.ts';
import type { Tables } from '../engine/tables.ts';
import type { SessionRow } from '../entities.ts';
import { newId } from '../new-id.ts';
import { endByOperator } from '../sessions/ending.ts';
import { markLost } from '../sessions/reaper.ts';
import type { HostRow } from './host-store.ts';

type HostWithPhones = Tables['hosts'] & { phones: number };

/** A new host counts as lost until its first report, so its devices are not expected yet. */
export async function createHost(
  engine: Engine,
  { name, publicKey }: { name: string; publicKey: string },
  audit?: AuditEvent,
): Promise<HostRow | 'name-taken'> {
  return audited(engine, audit, function* (now, record): Transaction<HostRow | 'name-taken'> {
    const row = yield* first(
      sql<Tables['hosts']>`
        insert into hosts (id, name, last_seen, lost, public_key, created_at)
        select cast(${newId('host')} as text), cast(${name} as text), 0, 1, cast(${publicKey} as text), cast(${now} as bigint)
        where not exists (select 1 from hosts where name = ${name} and public_key is not null and revoked_at is null)
        returning *`,
    );
    if (!row) return 'name-taken';
    yield* record({ kind: 'host', id: row.id });
    return hostRow({ ...row, phones: 0 });
  });
}

export async function revokeHost(
  engine: Engine,
  hostId: string,
  audit?: AuditEvent,
): Promise<{ host: HostRow; ended: SessionRow[] } | null> {
  return audited(engine, audit, function* (now, record): Transaction<{
    host: HostRow;
    ended: SessionRow[];
  } | null> {
    const revoked = yield* first(
      sql`update hosts set revoked_at = ${now} where id = ${hostId} and revoked_at is null returning id`,
    );
    if (revoked) yield* record({ kind: 'host', id: hostId });
    const live = yield* all(
      sql<{ id: string }>`
        select s.id from devices d join sessions s on s.device_id = d.id and s.status <> 'disconnected'
        where d.host_id = ${hostId} order by s.id`,
    );
    const ended = yield* endByOperator(engine.dialect, live, 'its host was revoked', now);
    yield* markLost(engine, [hostId]);
    const row = yield* first(sql<HostWithPhones>`${SELECT_HOSTS} where h.id = ${hostId}`);
    return row ? { host: hostRow(row), ended } : null;
  });
}

const SELECT_HOSTS: Sql<HostWithPhones> = sql`
  select h.*, (select count(*) from devices d where d.host_id = h.id and d.present = 1) as phones from hosts h`;

const hostRow = (row: HostWithPhones): HostRow => ({ ...hostFacts(row), phones: row.phones });

export function hostFacts(row: Tables['hosts']): Omit<HostRow, 'phones'> {
  return {
    id: row.id,
    name: row.name,
    publicKey: row.public_key,
    lastSeen: row.last_seen === 0 ? null : row.last_seen,
    lost: row.lost === 1,
    revokedAt: row.revoked_at,
  };
}
