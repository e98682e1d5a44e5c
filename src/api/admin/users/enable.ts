import { resourceNotFound } from '../../../control-plane/refusal-errors.ts';
import { toUser } from '../../../control-plane/views/user-view.ts';
import { implement } from '../../implement.ts';

export const enableUser = implement('admin.users.enable', async ({ store }, { params, audit }) => {
  const changed = await store.updateUser({ userId: params.user_id, disabled: false }, audit);
  if (!changed) throw resourceNotFound('user', params.user_id);
  return toUser(changed.user);
});
