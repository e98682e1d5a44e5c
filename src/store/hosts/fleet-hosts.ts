import type { Page } from '../../contract/http/page.ts';
import { all, type Engine, first, sql, type Transaction } from '../engine/engine.ts';
import { pageOf, pageWith } from '../engine/paging.ts';
import type { Tables } from '../engine/tables.ts';
import type { Paging } from '../entities.ts';
import { hostFacts } from './host-credentials.ts';
import type { HostUse } from './host-store.ts';

type Counted = Pick<Tables['devices'], 'host_id' | 'status'> & {
  phones: number;
  present: number;
  live: number;
};

export async function listHosts(engine: Engine, paging: Paging): Promise<Page<HostUse>> {
  return engine.transact(function* (): Transaction<Page<HostUse>> {
    const count = yield* first(sql<{ total: number }>`select count(*) as total from hosts`);
    const rows = yield* all(sql<Tables['hosts']>`select * from hosts order by name, id ${pageOf(paging)}`);
    return pageWith(paging, count!.total, yield* withUse(engine, rows));
  });
}

export async function getHost(engine: Engine, hostId: string): Promise<HostUse | null> {
  return engine.transact(function* (): Transaction<HostUse | null> {
    const rows = yield* all(sql<Tables['hosts']>`select * from hosts where id = ${hostId}`);
    return (yield* withUse(engine, rows))[0] ?? null;
  });
}

function* withUse({ dialect }: Engine, hosts: Tables['hosts'][]): Transaction<HostUse[]> {
  const counted = yield* all(
    sql<Counted>`
      select d.host_id, d.status, count(*) as phones, cast(sum(d.present) as bigint) as present,
        count(s.id) as live
      from devices d left join sessions s on s.device_id = d.id and s.status <> 'disconnected'
      where d.host_id ${dialect.isOneOf(hosts.map(({ id }) => id))} and d.forgotten = 0
      group by d.host_id, d.status`,
  );
  const byHost = Map.groupBy(counted, (row) => row.host_id);
  return hosts.map((host) => {
    const devices = { available: 0, busy: 0, offline: 0, maintenance: 0 };
    let phonesPresent = 0;
    let liveSessions = 0;
    for (const { status, phones, present, live } of byHost.get(host.id) ?? []) {
      devices[status] = phones;
      phonesPresent += present;
      liveSessions += live;
    }
    return { ...hostFacts(host), phones: phonesPresent, devices, liveSessions };
  });
}
