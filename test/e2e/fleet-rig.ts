import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { Api } from '../black-box/kit/api.ts';
import { listAll } from '../black-box/kit/borrow.ts';
import { Description } from '../black-box/kit/description.ts';
import { until } from '../black-box/kit/wait.ts';
import type { Fleet, FleetProcess } from '../fixtures/fleet.ts';
import { promised } from '../nightly.ts';
import type { Acknowledged } from './acknowledged.ts';

/** CA certificate that clients of a fleet trust for their sockets. */
export const trustOf = ({ caFile }: Fleet) => ({ ca: readFileSync(caFile, 'utf8') });

/** Creates a client of the API that uses one of the fleet's processes. */
export async function apiAt({ httpOrigin }: FleetProcess, { key }: Fleet): Promise<Api> {
  const baseUrl = `${httpOrigin}/v1`;
  const description = await Description.fetch(baseUrl, undefined);
  return new Api({ baseUrl, key, ca: undefined, description });
}

/** Returns the same socket address at another gateway, as behind a load balancer. */
export function at({ tlsPort }: FleetProcess, url: string): string {
  const moved = new URL(url);
  moved.port = String(tlsPort);
  return moved.href;
}

/** Waits until `count` phones are available. Returns the elapsed time in milliseconds. */
export async function available(api: Api, count: number, deadlineMs?: number): Promise<number> {
  const since = performance.now();
  const look = async () => (await listAll(api, '&status=available')).length === count;
  await until(`${count} phones to be available`, look, { deadlineMs });
  return Math.round(performance.now() - since);
}

/**
 * Asserts what must hold after every loss, as clients see it: no session is live, every phone is available, and every
 * process runs.
 */
export async function intact(
  { api, seen, phones }: { api: Api; seen: Acknowledged; phones: number },
  processes: readonly FleetProcess[],
): Promise<void> {
  expect(await seen.verify(api)).toEqual([]);
  await available(api, phones, promised(10_000));
  for (const process of processes) {
    expect(process.isRunning(), `${process.role} ended:\n${process.output()}`).toBe(true);
  }
}
