import { implement } from '../implement.ts';

export const getUsage = implement('usage.get', async ({ store }, { principal }) => {
  const usage = await store.usage(principal.accountId);
  if (!usage) throw new Error(`account ${principal.accountId} has no row`);
  return { ...usage, role: principal.role };
});
