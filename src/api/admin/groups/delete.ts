import { invalidField } from '../../../contract/http/errors.ts';
import { resourceNotFound } from '../../../control-plane/refusal-errors.ts';
import { implement } from '../../implement.ts';

export const deleteGroup = implement('admin.groups.delete', async ({ store }, { params, audit }) => {
  const outcome = await store.deleteGroup(params.group_id, audit);
  if (!outcome) throw resourceNotFound('group', params.group_id);
  if (outcome.deleted) return {};
  const devices = outcome.devices === 1 ? '1 device' : `${outcome.devices} devices`;
  throw invalidField(
    'params.group_id',
    `has ${devices} in it, which everybody would see; put them into another group, or into none, first`,
  );
});
