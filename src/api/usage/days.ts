import { implement } from '../implement.ts';

export const getUsageDays = implement('usage.days', ({ store }, { principal, query }) =>
  store.listUsageDays(principal.accountId, query.month || undefined),
);
