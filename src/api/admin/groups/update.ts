import { resourceNotFound } from '../../../control-plane/refusal-errors.ts';
import { toGroup } from '../../../control-plane/views/group-view.ts';
import { implement } from '../../implement.ts';
import { groupRefused } from './refuse-group.ts';

export const updateGroup = implement('admin.groups.update', async ({ store }, { params, body, audit }) => {
  const outcome = await store.updateGroup(
    {
      groupId: params.group_id,
      name: body.name,
      accountIds: body.accounts,
    },
    audit,
  );
  if (!outcome) throw resourceNotFound('group', params.group_id);
  if (!outcome.ok) throw groupRefused(outcome.refusal);
  return toGroup(outcome.group);
});
