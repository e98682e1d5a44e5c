import type { Utilisation } from '../../../contract/http/utilisation.ts';

type Hour = Utilisation['hours'][number];

/** Share of the offered minutes that were in use, in whole percent. Null if none were offered. */
export const percentOf = ({ in_use_minutes: inUse, offered_minutes: offered }: Hour): number | null =>
  offered === 0 ? null : Math.round((Math.min(inUse, offered) / offered) * 100);

/**
 * Offered minutes of an hour that were not in use. Never negative, although a session may outlast the time in which
 * its phone is offered.
 */
export const freeOf = ({ in_use_minutes: inUse, offered_minutes: offered }: Hour): number =>
  Math.max(0, offered - inUse);

export interface Totals {
  inUse: number;
  offered: number;
  percent: number | null;
  /** The hour with the most minutes in use, or null if there was no use. */
  busiest: Hour | null;
  /** Hours in which the service did not run the whole time, except the current hour. */
  gaps: number;
}

export function totalsOf(hours: readonly Hour[]): Totals {
  const inUse = hours.reduce((sum, hour) => sum + hour.in_use_minutes, 0);
  const offered = hours.reduce((sum, hour) => sum + hour.offered_minutes, 0);
  const busiest = hours.reduce<Hour | null>(
    (best, hour) => (hour.in_use_minutes > (best?.in_use_minutes ?? 0) ? hour : best),
    null,
  );
  const gaps = hours.slice(0, -1).filter(({ sampled_minutes }) => sampled_minutes < 60).length;
  const all = { hour: '', in_use_minutes: inUse, offered_minutes: offered, sampled_minutes: 0 };
  return { inUse, offered, percent: percentOf(all), busiest, gaps };
}
