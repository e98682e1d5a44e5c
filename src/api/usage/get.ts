import { implement } from '../implement.ts';

const DAY_MS = 86_400_000;

export const getUsage = implement('usage.get', async (context, { principal }) => {
  const { store, maxKeyLifetimeMs, maxDurationMinutes } = context;
  const usage = await store.getUsage(principal.accountId);
  if (!usage) throw new Error(`account ${principal.accountId} is not in the store`);
  const user = principal.userId === null ? null : await store.getUser(principal.userId);
  const longestMs = await store.getLongestKeyLifetime({
    keyId: principal.keyId,
    maxLifetimeMs: maxKeyLifetimeMs,
  });
  return {
    ...usage,
    role: principal.role,
    max_key_days: longestMs === null ? null : Math.floor(longestMs / DAY_MS),
    max_duration: maxDurationMinutes,
    user: user && { id: user.id, name: user.name, email: user.email },
  };
});
