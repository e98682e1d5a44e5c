import { invalidField } from '../../../contract/http/errors.ts';
import { toHost } from '../../../control-plane/views/host-view.ts';
import { implement } from '../../implement.ts';

export const createHost = implement('admin.hosts.create', async ({ store }, { body, audit }) => {
  // Loaded on demand, because a service without other hosts does not need the library of NATS.
  const { addHost } = await import('../../../control-plane/hosts/add-host.ts');
  const added = await addHost(store, body.name, audit);
  if (!added) throw invalidField('body.name', 'is already used by another host; choose another name');
  const host = await store.getHost(added.host.id);
  if (!host) throw new Error(`host ${added.host.id} does not exist after it was added`);
  return { ...toHost(host), credential: added.credential };
});
