/** The rules that match devices with waiting requests. No other file may state them. */

import { visibleTo } from '../devices/visibility.ts';
import { type Sql, sql } from '../engine/engine.ts';
import type { Timestamp } from '../entities.ts';
import type { PhoneFilter } from './phone-queue.ts';

type Now = Sql<unknown> | Timestamp;

/** A request for a device: its filter, its account, and its place in the queue (null: not queued). */
interface Asking {
  filter: PhoneFilter;
  accountId: Sql<unknown> | string;
  place: Sql<unknown> | number | null;
}

/**
 * Condition on devices `d` that match the filter. The text depends on the filter, so that an index on the named
 * columns can be used.
 */
function matchingPhones({ brand, osVersion, model }: PhoneFilter): Sql<unknown> {
  let matching = model === '' ? sql`1 = 1` : sql`d.model = ${model}`;
  if (brand !== '') matching = sql`${matching} and d.brand = ${brand}`;
  return osVersion === '' ? matching : sql`${matching} and d.os_version = ${osVersion}`;
}

/** Condition on waiters `w` that accept the device `d`. */
const WAITERS_FOR_PHONE = sql`
  w.brand in ('', d.brand) and w.os_version in ('', d.os_version) and w.model in ('', d.model)
  and ${visibleTo(sql`w.account_id`, sql`d.group_id`)}`;

/** Condition on waiters `w` that accept some device that this filter allows, provided that they can see it. */
export function competingWaiters({ brand, osVersion, model }: PhoneFilter): Sql<unknown> {
  let competing = brand === '' ? sql`1 = 1` : sql`w.brand in ('', ${brand})`;
  if (osVersion !== '') competing = sql`${competing} and w.os_version in ('', ${osVersion})`;
  return model === '' ? competing : sql`${competing} and w.model in ('', ${model})`;
}

/** Waiters `w` of processes that are running. */
export const liveWaiters = (now: Now): Sql<unknown> =>
  sql`waiters w join waiter_processes p on p.id = w.process_id and p.alive_until > ${now}`;

/**
 * Condition on devices `d` that are available, match, are visible to the requesting account, and are not accepted by
 * any waiter ahead of `place`. With `place` null, every waiter is ahead.
 */
export function phonesInTurn({ filter, accountId, place }: Asking, now: Now): Sql<unknown> {
  const before = place === null ? sql`` : sql`and w.place < ${place}`;
  return sql`
    d.status = 'available' and ${matchingPhones(filter)} and ${visibleTo(accountId, sql`d.group_id`)}
    and not exists (select 1 from ${liveWaiters(now)} where ${WAITERS_FOR_PHONE} ${before})`;
}

/** Devices that match, in any condition. */
export const allMatching = (filter: PhoneFilter): Sql<unknown> =>
  sql`devices d where d.forgotten = 0 and ${matchingPhones(filter)}`;
