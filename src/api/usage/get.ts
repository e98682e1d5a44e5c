import { implement } from '../implement.ts';

export const getUsage = implement('usage.get', async ({ store }, { principal }) => {
  const usage = await store.usage(principal.accountId);
  if (!usage) throw new Error(`account ${principal.accountId} is not in the store`);
  const user = principal.userId === null ? null : await store.getUser(principal.userId);
  return {
    ...usage,
    role: principal.role,
    user: user && { id: user.id, name: user.name, email: user.email },
  };
});
