import { refusalError } from '../../../control-plane/refusal-errors.ts';
import { toGroup } from '../../../control-plane/views/group-view.ts';
import { idempotency } from '../../idempotency.ts';
import { implement } from '../../implement.ts';
import { groupRefused } from './refuse-group.ts';

export const createGroup = implement('admin.groups.create', async ({ store }, call) => {
  const { name, accounts = [] } = call.body;
  const outcome = await store.createGroup(
    {
      group: { name, accountIds: accounts },
      by: call.principal.accountId,
      idempotency: idempotency(call.idempotencyKey, ['group', name, accounts]),
    },
    call.audit,
  );
  if (outcome.ok) return toGroup(outcome.created);
  const { refusal } = outcome;
  throw refusal.why === 'idempotency-conflict' ? refusalError(refusal, name) : groupRefused(refusal);
});
