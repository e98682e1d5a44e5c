/** Which phone will do for which request: the one place that says so. */
import { type Sql, sql } from './engine.ts';
import type { PhoneFilter } from './phone-queue.ts';
import { seenBy } from './sight.ts';
import type { Timestamp } from './store.ts';

type Now = Sql<unknown> | Timestamp;

/** Who asks for a phone, and from which place in the queue. */
interface Asking {
  filter: PhoneFilter;
  accountId: Sql<unknown> | string;
  place: Sql<unknown> | number | null;
}

/** On phones `d`: those that match. Written out per filter, so that the index on what it names can be taken. */
function matchingPhones({ brand, osVersion, model }: PhoneFilter): Sql<unknown> {
  let matching = model === '' ? sql`1 = 1` : sql`d.model = ${model}`;
  if (brand !== '') matching = sql`${matching} and d.brand = ${brand}`;
  return osVersion === '' ? matching : sql`${matching} and d.os_version = ${osVersion}`;
}

/** On waiters `w`: those for whom the phone `d` will do. */
const WAITERS_FOR_PHONE = sql`
  w.brand in ('', d.brand) and w.os_version in ('', d.os_version) and w.model in ('', d.model)
  and ${seenBy(sql`w.account_id`, sql`d.group_id`)}`;

/** On waiters `w`: those for whom some phone would do that this filter allows, if they see it. */
export function competingWaiters({ brand, osVersion, model }: PhoneFilter): Sql<unknown> {
  let competing = brand === '' ? sql`1 = 1` : sql`w.brand in ('', ${brand})`;
  if (osVersion !== '') competing = sql`${competing} and w.os_version in ('', ${osVersion})`;
  return model === '' ? competing : sql`${competing} and w.model in ('', ${model})`;
}

/** Waiters `w` of processes that live. */
export const livingWaiters = (now: Now): Sql<unknown> =>
  sql`waiters w join waiter_processes p on p.id = w.process_id and p.alive_until > ${now}`;

/**
 * On phones `d`: those that are free, match, are seen by whoever asks, and will do for nobody who came before this place;
 * null: who waits at all.
 */
export function phonesInTurn({ filter, accountId, place }: Asking, now: Now): Sql<unknown> {
  const before = place === null ? sql`` : sql`and w.place < ${place}`;
  return sql`
    d.status = 'available' and ${matchingPhones(filter)} and ${seenBy(accountId, sql`d.group_id`)}
    and not exists (select 1 from ${livingWaiters(now)} where ${WAITERS_FOR_PHONE} ${before})`;
}

/** Phones that match, whatever they are doing. */
export const allMatching = (filter: PhoneFilter): Sql<unknown> =>
  sql`devices d where d.forgotten = 0 and ${matchingPhones(filter)}`;
