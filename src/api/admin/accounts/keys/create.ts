import { implement } from '../../../implement.ts';
import { createKey } from '../../../keys/create-key.ts';

export const createAccountKey = implement('admin.accounts.keys.create', (context, call) =>
  createKey(context, call, call.params.account_id, call.body),
);
