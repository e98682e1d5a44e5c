import { invalidField } from '../../../contract/http/errors.ts';
import { resourceNotFound } from '../../../control-plane/refusal-errors.ts';
import { publishSessions } from '../../../control-plane/session-changes.ts';
import { toUser } from '../../../control-plane/views/user-view.ts';
import { implement } from '../../implement.ts';

export const disableUser = implement('admin.users.disable', async (context, { principal, params, audit }) => {
  const userId = params.user_id;
  if (userId === principal.userId) {
    throw invalidField(
      'params.user_id',
      'is the user of the requesting key, who would lose access; use another key',
    );
  }
  const changed = await context.store.updateUser({ userId, disabled: true }, audit);
  if (!changed) throw resourceNotFound('user', userId);
  publishSessions(context, changed.ended);
  return toUser(changed.user);
});
