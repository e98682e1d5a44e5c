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
    `has ${devices}, which would become visible to all accounts; assign them to another group or to none ` +
      'first',
  );
});
