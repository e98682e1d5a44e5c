import { type ApiError, invalidField } from '../../../contract/http/errors.ts';
import type { GroupRefusal } from '../../../store/devices/group-store.ts';

/** The API error for a group that could not be created or changed. */
export function groupRefused(refusal: GroupRefusal): ApiError {
  if (refusal.why === 'name-taken')
    return invalidField('body.name', 'is already used by another group; choose another name');
  const id = JSON.stringify(refusal.accountId);
  return invalidField(
    'body.accounts',
    `contains ${id}, which is not the identifier of an account; GET /admin/accounts lists the accounts`,
  );
}
