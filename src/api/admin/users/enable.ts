import { implement } from '../../implement.ts';
import { resourceNotFound } from '../../refuse.ts';
import { toUser } from './user-view.ts';

export const enableUser = implement('admin.users.enable', async ({ store }, { params }) => {
  const changed = await store.changeUser({ userId: params.user_id, disabled: false });
  if (!changed) throw resourceNotFound('user', params.user_id);
  return toUser(changed.user);
});
