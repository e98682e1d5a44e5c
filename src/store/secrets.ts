import { randomBytes } from 'node:crypto';
import { all, type Engine, first, sql, type Transaction } from './engine.ts';

const SECRET_BYTES = 32;

/** Whoever asks first makes it; everyone else gets the same. */
export async function secret(
  engine: Engine,
  name: string,
  make: () => Uint8Array = () => randomBytes(SECRET_BYTES),
): Promise<Uint8Array> {
  const made = make();
  return engine.transact(function* (): Transaction<Uint8Array> {
    yield* all(
      sql`insert into secrets (name, value) values (${name}, ${made}) on conflict (name) do nothing`,
    );
    const row = yield* first(sql<{ value: Uint8Array }>`select value from secrets where name = ${name}`);
    return row!.value;
  });
}
