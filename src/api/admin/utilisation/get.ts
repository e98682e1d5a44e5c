import { iso } from '../../../control-plane/iso.ts';
import { implement } from '../../implement.ts';

const MINUTE_MS = 60_000;

export const getUtilisation = implement('admin.utilisation.get', async ({ store }, { query }) => {
  const hours = await store.getUtilisation(query.hours);
  return {
    hours: hours.map(({ startsAt, inUseMs, offeredMinutes, sampledMinutes }) => ({
      hour: iso(startsAt),
      in_use_minutes: Math.round((inUseMs / MINUTE_MS) * 10) / 10,
      offered_minutes: offeredMinutes,
      sampled_minutes: sampledMinutes,
    })),
  };
});
