import { beforeEach, expect, test } from 'vitest';
import type { Log } from '../util/log.ts';
import { type Engine, sql } from './engine/engine.ts';
import { withOutageLog } from './outage-log.ts';
import { StoreUnavailableError } from './store.ts';

let clock: number;
let isAway: boolean;
let lines: string[];
let engine: Engine;

beforeEach(() => {
  clock = 0;
  isAway = false;
  lines = [];
  const keep = (level: string) => (fields: object, message: string) => {
    lines.push(`${level} ${(fields as { failedTransactions?: number }).failedTransactions} ${message}`);
  };
  const log: Log = { debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') };
  const inner = {
    run: async () => {
      if (isAway) throw new StoreUnavailableError(new Error('unplugged'));
      return [];
    },
  };
  engine = withOutageLog(inner as unknown as Engine, log, () => clock);
});

/** Runs a transaction every second. */
async function transactions(count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    clock += 1_000;
    await engine.run(sql`select 1`).catch(() => {});
  }
}

const START = 'error 1 the store cannot be reached, or is too slow';

test('logs an outage once at its start and once at its end', async () => {
  await transactions(3);
  isAway = true;
  await transactions(30);
  expect(lines).toEqual([START]);
  isAway = false;
  await transactions(30);
  expect(lines).toEqual([START, 'warn 29 the store is available again']);
});

test('logs no end while some transactions still fail', async () => {
  for (let n = 0; n < 20; n++) {
    isAway = n % 2 === 0;
    await transactions(1);
  }
  expect(lines).toEqual([START]);
  isAway = false;
  await transactions(10);
  expect(lines).toEqual([START, 'warn 9 the store is available again']);
});
