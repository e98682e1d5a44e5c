import { expect } from 'vitest';
import { deviceStatus } from '../../src/domain/device-status.ts';
import { monthAfter } from '../../src/domain/month.ts';
import type { Tables } from '../../src/store/engine/tables.ts';
import type { World } from './world.ts';

/**
 * Asserts the invariants of the rows, which must hold at any time. They are computed from all rows, without the
 * store's own SQL.
 */
export async function expectInvariants(world: World): Promise<void> {
  const read = <T extends keyof Tables>(table: T) => world.query<Tables[T]>(`select * from ${table}`);
  const [sessions, devices] = [await read('sessions'), await read('devices')];
  const live = sessions.filter(({ status }) => status !== 'disconnected');

  expect(new Set(live.map(({ device_id }) => device_id)).size).toBe(live.length);
  for (const session of sessions) expectSettledOnce(session);

  const leased = new Map(live.map((session) => [session.device_id, session]));
  for (const device of devices) {
    const held = leased.get(device.id);
    const [epoch, cleanEpoch] = [Number(device.epoch), Number(device.clean_epoch)];
    const flags = {
      maintenance: device.maintenance === 1,
      present: device.present === 1,
      usable: device.usable === 1,
    };
    expect(device.status).toBe(deviceStatus({ live: held !== undefined, ...flags, epoch, cleanEpoch }));
    if (held) expect(Number(held.epoch)).toBe(epoch);
    expect(cleanEpoch).toBeLessThanOrEqual(held ? epoch - 1 : epoch);
  }

  expect(sums(await read('device_counts'), countKey, ({ n }) => n)).toEqual(sums(devices, countKey, () => 1));
  expect(sums(await read('usage'), usageKey, ({ minutes }) => minutes)).toEqual(
    sums(sessions.flatMap(reservations), usageKey, ({ minutes }) => minutes),
  );
  for (const account of await read('accounts')) {
    const count = live.filter(({ account_id }) => account_id === account.id).length;
    expect(Number(account.live_sessions)).toBe(count);
    if (account.max_sessions !== null) expect(count).toBeLessThanOrEqual(Number(account.max_sessions));
    const artifacts = (await read('artifacts')).filter(({ account_id }) => account_id === account.id);
    expect(Number(account.artifact_bytes)).toBe(artifacts.reduce((sum, { size }) => sum + Number(size), 0));
    for (const { account_id, minutes } of account.quota_minutes === null ? [] : await read('usage')) {
      if (account_id === account.id)
        expect(Number(minutes)).toBeLessThanOrEqual(Number(account.quota_minutes));
    }
  }
}

function expectSettledOnce(session: Tables['sessions']): void {
  const over = session.status === 'disconnected';
  expect([session.ended_at !== null, session.end_reason !== null, session.minutes_charged !== null]).toEqual([
    over,
    over,
    over,
  ]);
  if (!over) return;
  const charged = Number(session.minutes_charged);
  expect(charged).toBeLessThanOrEqual(Number(session.minutes_reserved));
  expect(charged > 0).toBe(session.connected_at !== null);
}

/**
 * Returns the minutes that a session holds in each of its two months, the first month first: its charge if it is
 * settled, and its reservation otherwise.
 */
function reservations(session: Tables['sessions']) {
  const later = Number(session.minutes_next_month);
  const first = Number(session.minutes_reserved) - later;
  const held = Number(session.minutes_charged ?? session.minutes_reserved);
  const { account_id, month } = session;
  return [
    { account_id, month, minutes: Math.min(held, first) },
    { account_id, month: monthAfter(month), minutes: Math.max(0, held - first) },
  ];
}

const countKey = (row: { brand: string; os_version: string; status: string; group_id: string | null }) =>
  `${row.brand} ${row.os_version} ${row.status} ${row.group_id ?? ''}`;
const usageKey = (row: { account_id: string; month: string }) => `${row.account_id} ${row.month}`;

/** Sums the values by key. Omits sums that are 0. */
function sums<T>(rows: T[], key: (row: T) => string, value: (row: T) => number): Record<string, number> {
  const totals: Record<string, number> = {};
  for (const row of rows) totals[key(row)] = (totals[key(row)] ?? 0) + Number(value(row));
  return Object.fromEntries(Object.entries(totals).filter(([, total]) => total !== 0));
}
