import { invalidField } from '../../../contract/http/errors.ts';
import { resourceNotFound } from '../../../control-plane/refusal-errors.ts';
import { publishSessions } from '../../../control-plane/session-changes.ts';
import { toHost } from '../../../control-plane/views/host-view.ts';
import { hostState } from '../../../domain/host-state.ts';
import type { HostUse } from '../../../store/hosts/host-store.ts';
import { implement } from '../../implement.ts';

export const revokeHost = implement('admin.hosts.revoke', async (context, { params, audit }) => {
  const { store } = context;
  const hostId = params.host_id;
  const before = await store.getHost(hostId);
  if (!before) throw resourceNotFound('host', hostId);
  if (isOwn(before)) {
    throw invalidField(
      'params.host_id',
      'is the host in the process of this service, which would lose its phones permanently; to run the ' +
        'service without phones, set PHONEBOOTH_SIMULATED_PHONES to 0 and PHONEBOOTH_ADB to off',
    );
  }
  const revoked = await store.revokeHost(hostId, audit);
  publishSessions(context, revoked?.ended ?? []);
  return toHost((await store.getHost(hostId)) ?? before);
});

/** A host without a public key introduced itself, which only a host in this process can do. It is also connected. */
const isOwn = (host: HostUse) => host.publicKey === null && hostState(host) === 'up';
