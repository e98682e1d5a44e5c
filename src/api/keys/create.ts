import { ApiError } from '../../contract/http/errors.ts';
import { includesRole } from '../../contract/http/key.ts';
import { implement } from '../implement.ts';
import { issueKey } from './issue-key.ts';

export const createKey = implement('keys.create', async (context, call) => {
  const { role: own, accountId } = call.principal;
  if (!includesRole(own, call.body.role ?? 'user')) {
    throw new ApiError(
      'forbidden',
      `a key with the role ${own} cannot create a key with the role ${call.body.role}; use a key with at least that role`,
    );
  }
  return issueKey(context, call, accountId, call.body);
});
