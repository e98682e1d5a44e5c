import { expect, test, vi } from 'vitest';
import { silentLog } from '../../util/log.ts';
import { StoreUnavailableError } from '../store.ts';
import { type BatchedStatement, Batches } from './batches.ts';

/** Longer than any test. */
const NEVER_MS = 600_000;

/** A statement whose executions the test ends. Items that contain "refused" are left unchanged by a batch. */
class Recorded implements BatchedStatement<string, string> {
  readonly executions: { items: string[]; end: (error?: Error) => void }[] = [];

  async one(item: string): Promise<string> {
    await this.execute([item]);
    return `${item} alone`;
  }

  async many(items: string[]): Promise<(string | undefined)[]> {
    await this.execute(items);
    return items.map((item) => (item.includes('refused') ? undefined : `${item} together`));
  }

  private execute(items: string[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.executions.push({ items, end: (error) => (error ? reject(error) : resolve()) });
    });
  }

  get items(): string[][] {
    return this.executions.map(({ items }) => items);
  }
}

const started = (statement: Recorded, count: number) =>
  vi.waitFor(() => expect(statement.executions).toHaveLength(count), { timeout: 60_000, interval: 5 });

test('runs an item alone if nothing runs, and combines those that arrive meanwhile', async () => {
  const batches = new Batches(silentLog, NEVER_MS);
  const statement = new Recorded();
  const results = ['a', 'b', 'c'].map((item) => batches.run(statement, item, item));
  expect(statement.items).toEqual([['a']]);
  expect(batches.waiting).toBe(2);
  statement.executions[0]!.end();
  await started(statement, 2);
  expect(statement.items[1]).toEqual(['b', 'c']);
  expect(batches.waiting).toBe(0);
  statement.executions[1]!.end();
  expect(await Promise.all(results)).toEqual(['a alone', 'b together', 'c together']);
});

test('runs different statements at the same time, unless their items belong to one group', async () => {
  const batches = new Batches(silentLog, NEVER_MS);
  const [first, second] = [new Recorded(), new Recorded()];
  void batches.run(first, 'a', 'a1');
  void batches.run(second, 'a', 'a2');
  void batches.run(second, 'b', 'b1');
  expect([first.items, second.items]).toEqual([[['a1']], [['b1']]]);
  second.executions[0]!.end();
  first.executions[0]!.end();
  await started(second, 2);
  expect(second.items[1]).toEqual(['a2']);
});

test('runs an item before later items of its group when its statement is free again', async () => {
  const batches = new Batches(silentLog, NEVER_MS);
  const [connects, ends] = [new Recorded(), new Recorded()];
  void batches.run(connects, 'a', 'a1');
  void batches.run(ends, 'b', 'b1');
  void batches.run(ends, 'a', 'a2');
  void batches.run(connects, 'a', 'a3');
  void batches.run(connects, 'c', 'c1');
  // The statement of a2 still runs. If a3 began now, and further items followed it, a2 could wait forever.
  connects.executions[0]!.end();
  await started(connects, 2);
  expect(connects.items[1]).toEqual(['c1']);
  ends.executions[0]!.end();
  await started(ends, 2);
  expect(ends.items[1]).toEqual(['a2']);
});

test('runs an item alone that a batch left unchanged, while the next batch runs', async () => {
  const batches = new Batches(silentLog, NEVER_MS);
  const statement = new Recorded();
  const results = ['a', 'b refused', 'c'].map((item) => batches.run(statement, item, item));
  statement.executions[0]!.end();
  await started(statement, 2);
  results.push(batches.run(statement, 'd', 'd'));
  statement.executions[1]!.end();
  await started(statement, 4);
  expect(statement.items.slice(2)).toEqual([['d'], ['b refused']]);
  for (const { end } of statement.executions.slice(2)) end();
  expect(await Promise.all(results)).toEqual(['a alone', 'b refused alone', 'c together', 'd alone']);
});

test('runs the items of a failed batch one by one and logs the error', async () => {
  const warn = vi.fn();
  const batches = new Batches({ ...silentLog, warn }, NEVER_MS);
  const statement = new Recorded();
  const results = ['a', 'b', 'c'].map((item) => batches.run(statement, item, item));
  statement.executions[0]!.end();
  await started(statement, 2);
  statement.executions[1]!.end(new Error('invalid value'));
  await started(statement, 4);
  statement.executions[2]!.end();
  statement.executions[3]!.end(new Error('invalid value of c'));
  expect(await Promise.allSettled(results)).toMatchObject([
    { value: 'a alone' },
    { value: 'b alone' },
    { reason: { message: 'invalid value of c' } },
  ]);
  expect(warn.mock.calls).toEqual([
    [{ err: new Error('invalid value'), items: 2, suppressed: 0 }, expect.any(String)],
  ]);
});

test('rejects all items of a batch during which the database became unavailable, without repeating them', async () => {
  const batches = new Batches(silentLog, NEVER_MS);
  const statement = new Recorded();
  const results = ['a', 'b', 'c'].map((item) => batches.run(statement, item, item));
  statement.executions[0]!.end();
  await started(statement, 2);
  const outage = new StoreUnavailableError(new Error('connection lost'));
  statement.executions[1]!.end(outage);
  expect(await Promise.allSettled(results)).toMatchObject([
    { value: 'a alone' },
    { reason: outage },
    { reason: outage },
  ]);
  expect(statement.executions).toHaveLength(2);
});

test('does not wait for a statement that hangs', async () => {
  const batches = new Batches(silentLog);
  const statement = new Recorded();
  for (const item of ['a', 'b', 'c']) void batches.run(statement, 'one group', item);
  expect(statement.items).toEqual([['a']]);
  await started(statement, 2);
  expect(statement.items[1]).toEqual(['b', 'c']);
});

test('limits the size of a batch', async () => {
  const batches = new Batches(silentLog, NEVER_MS);
  const statement = new Recorded();
  for (let n = 0; n < 50; n++) void batches.run(statement, `group ${n}`, `item ${n}`);
  statement.executions[0]!.end();
  await started(statement, 2);
  statement.executions[1]!.end();
  await started(statement, 3);
  expect(statement.items.map(({ length }) => length)).toEqual([1, 32, 17]);
});
