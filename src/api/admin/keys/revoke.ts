import { toKey } from '../../../control-plane/views/key-view.ts';
import { implement } from '../../implement.ts';
import { endKey } from '../../keys/end-key.ts';

export const revokeAnyKey = implement('admin.keys.revoke', async (context, { principal, params, audit }) =>
  toKey(await endKey(context, params.key_id, audit), principal),
);
