import { randomBytes } from 'node:crypto';
import type { AuditEvent } from '../audit/audit-store.ts';
import { audited } from '../audit/audited.ts';
import { all, type Engine, first, sql, type Transaction } from '../engine/engine.ts';

const SECRET_BYTES = 32;

/** The name under which the previous value of a secret is kept until the next rotation. */
const before = (name: string) => `${name}:before`;

/** The current secret, created on first use, and the previous one if the secret was ever rotated. */
export async function listSecrets(engine: Engine, name: string): Promise<Uint8Array[]> {
  const newest = await ensureSecret(engine, name);
  const rows = await engine.run(
    sql<{ value: Uint8Array }>`select value from secrets where name = ${before(name)}`,
  );
  return [newest, ...rows.map(({ value }) => value)];
}

/** Replaces these secrets, all or none. Each current value becomes the previous one, whose value is deleted. */
export async function rotateSecrets(
  engine: Engine,
  names: readonly string[],
  audit?: AuditEvent,
): Promise<void> {
  for (const name of names) await ensureSecret(engine, name);
  await audited(engine, audit, function* (_now, record): Transaction<void> {
    for (const name of names) {
      yield* all(sql`delete from secrets where name = ${before(name)}`);
      yield* all(sql`update secrets set name = ${before(name)} where name = ${name}`);
      yield* all(sql`insert into secrets (name, value) values (${name}, ${randomBytes(SECRET_BYTES)})`);
    }
    yield* record();
  });
}

/** The first caller creates the secret; all later callers get the same value. */
export async function ensureSecret(
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
