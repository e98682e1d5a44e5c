import { implement } from '../../../implement.ts';
import { makeKey } from '../../../keys/make-key.ts';

export const createAccountKey = implement('admin.accounts.keys.create', (context, call) =>
  makeKey(context, call, call.params.account_id, call.body),
);
