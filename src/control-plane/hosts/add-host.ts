import { newNkey } from '../../bus/nkey.ts';
import type { AuditEvent } from '../../store/audit/audit-store.ts';
import type { HostRow } from '../../store/hosts/host-store.ts';
import type { Store } from '../../store/store.ts';

/** Adds a host. Its credential is not stored, so only the caller can show it. null: another host has the name. */
export async function addHost(
  store: Pick<Store, 'createHost'>,
  name: string,
  audit?: AuditEvent,
): Promise<{ credential: string; host: HostRow } | null> {
  const { seed, publicKey } = newNkey();
  const host = await store.createHost({ name, publicKey }, audit);
  return host === 'name-taken' ? null : { credential: `${host.id}.${seed}`, host };
}
