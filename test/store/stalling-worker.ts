/**
 * Locks the row of an account in a transaction, and blocks its thread there the first time, until the test wakes it.
 * Posts `locked`, and then how many times the transaction ran.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { sql } from '../../src/store/engine/engine.ts';
import { openPostgres } from '../../src/store/engine/postgres.ts';
import { silentLog } from '../../src/util/log.ts';

const { databaseUrl, accountId, gate } = workerData as {
  databaseUrl: string;
  accountId: string;
  gate: Int32Array<SharedArrayBuffer>;
};
await using engine = await openPostgres(databaseUrl, () => 0, silentLog);
let runs = 0;
await engine.transact(function* () {
  yield sql`select id from accounts where id = ${accountId} for update`;
  runs += 1;
  if (runs > 1) return;
  parentPort!.postMessage('locked');
  Atomics.wait(gate, 0, 0, 120_000);
  yield sql`select 1`;
});
parentPort!.postMessage(runs);
