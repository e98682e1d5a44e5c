import { toKey } from '../../../control-plane/views/key-view.ts';
import { implement } from '../../implement.ts';
import { revokeAndAnnounce } from '../../keys/revoke-and-announce.ts';

export const revokeAnyKey = implement('admin.keys.revoke', async (context, { principal, params, audit }) =>
  toKey(await revokeAndAnnounce(context, params.key_id, audit), principal),
);
