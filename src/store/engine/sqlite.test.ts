import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../util/log.ts';
import { all, type Engine, sql, type Transaction } from './engine.ts';
import { openSqlite } from './sqlite.ts';

async function open(): Promise<Engine> {
  const folder = await mkdtemp(join(tmpdir(), 'phonebooth-sqlite-'));
  const engine = await openSqlite(join(folder, 'store.db'), () => 0, silentLog);
  onTestFinished(async () => {
    await engine[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });
  return engine;
}

test.each([
  [0, 'first'],
  [1, 'second'],
  [2, 'last'],
])(
  'of three transactions that share a commit, only the one that fails changes nothing (%i, the %s)',
  async (failing) => {
    const engine = await open();
    const write = (index: number) =>
      engine.transact(function* (): Transaction<void> {
        for (const part of ['a', 'b']) {
          const name = `${index}${part}`;
          yield* all(sql`insert into secrets (name, value) values (${name}, ${new Uint8Array([index])})`);
          if (index === failing) throw new Error('it fails between its two writes');
        }
      });
    const outcomes = await Promise.allSettled([0, 1, 2].map(write));
    expect(outcomes.map(({ status }) => status)).toEqual(
      [0, 1, 2].map((index) => (index === failing ? 'rejected' : 'fulfilled')),
    );
    const kept = await engine.run(sql<{ name: string }>`select name from secrets order by name`);
    expect(kept.map(({ name }) => name)).toEqual(
      ['0a', '0b', '1a', '1b', '2a', '2b'].filter((name) => !name.startsWith(`${failing}`)),
    );
  },
);
