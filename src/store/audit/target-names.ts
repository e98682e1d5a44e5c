import type { AuditKind } from '../../contract/http/audit.ts';
import { type Engine, type Sql, sql } from '../engine/engine.ts';
import type { AuditTarget } from './audit-store.ts';

type Named = { id: string; name: string | null };

/** Where the names of each kind are. The address of a webhook may contain a secret, and watch links and files have no name. */
const NAMES: Readonly<Record<AuditKind, Sql<Named> | null>> = {
  device: sql<Named>`select id, name from devices`,
  session: sql<Named>`select id, device_name as name from sessions`,
  app: sql<Named>`select id, name from apps`,
  key: sql<Named>`select id, name from keys`,
  account: sql<Named>`select id, name from accounts`,
  host: sql<Named>`select id, name from hosts`,
  user: sql<Named>`select id, name from users`,
  group: sql<Named>`select id, name from device_groups`,
  artifact: sql<Named>`select id, name from artifacts`,
  webhook: null,
  watch_link: null,
  file: null,
};

/** Returns the current names of objects. Objects without a name and deleted ones are absent. */
export async function nameTargets(
  engine: Engine,
  targets: readonly AuditTarget[],
): Promise<Map<AuditTarget['kind'], Map<string, string>>> {
  const found = new Map<AuditTarget['kind'], Map<string, string>>();
  for (const [kind, group] of Map.groupBy(targets, (target) => target.kind)) {
    const select = NAMES[kind];
    if (!select) continue;
    const ids = [...new Set(group.map(({ id }) => id))];
    const rows = await engine.run(sql<Named>`${select} where id ${engine.dialect.isOneOf(ids)}`);
    found.set(kind, new Map(rows.flatMap(({ id, name }) => (name ? [[id, name]] : []))));
  }
  return found;
}
