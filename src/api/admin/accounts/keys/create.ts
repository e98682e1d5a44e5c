import { implement } from '../../../implement.ts';
import { issueKey } from '../../../keys/issue-key.ts';

export const createAccountKey = implement('admin.accounts.keys.create', (context, call) =>
  issueKey(context, call, call.params.account_id, call.body),
);
