/**
 * Runs pgbench with the statements that the store itself sends, which measures the upper limit for any client of the
 * server.
 */
import { execFile } from 'node:child_process';
import { accessSync, constants, globSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import type { Store } from '../../src/store/store.ts';
import { type Borrower, deviceId } from './shelf.ts';

/** Placeholder values for what differs from pair to pair. They are found again in the recorded statements. */
const MARKS = { device: deviceId(0), session: 'a-session-that-is-recorded' };

interface Statement {
  text: string;
  values: unknown[];
}

/**
 * Records the statements that the store sends for one connect and one disconnect. Executes the pair on the first
 * phone.
 */
export async function recordPair(store: Store, { accountId, keyId }: Borrower): Promise<Statement[]> {
  const recorded: Statement[] = [];
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...parts: unknown[]) {
    const [sent] = parts as [string | Statement];
    recorded.push(typeof sent === 'string' ? { text: sent, values: [] } : sent);
    return Reflect.apply(query, this, parts);
  } as typeof query;
  try {
    const command = { sessionId: MARKS.session, deviceId: MARKS.device, accountId, keyId, minutes: 30 };
    const outcome = await store.connect({ ...command, appId: null, idempotency: null });
    if (!outcome.ok)
      throw new Error(`the connect to the first phone was rejected: ${JSON.stringify(outcome.refusal)}`);
    await store.end({ sessionId: MARKS.session, accountId, reason: 'client' });
  } finally {
    pg.Client.prototype.query = query;
  }
  return recorded;
}

/**
 * Returns the pair as a pgbench script. Each client has its own account, as each connection has over HTTP, and goes
 * through its own phones by the same stride. Everything else in the statements stays as recorded.
 */
export function pairScript(
  statements: Statement[],
  recordedAs: Borrower,
  phones: { from: number; to: number },
  clients: number,
): string {
  const share = Math.floor((phones.to - phones.from) / clients);
  const marks = { ...MARKS, account: recordedAs.accountId, key: recordedAs.keyId };
  const bodies = statements.map(({ text, values }) =>
    text.replace(/\$(\d+)/g, (_, index) => written(values[Number(index) - 1], marks)),
  );
  return [
    String.raw`\if :turn = 0`,
    `select a.id as account, k.id as key from accounts a join keys k on k.account_id = a.id where a.name = 'borrower-' || :client_id \\gset`,
    String.raw`\endif`,
    String.raw`\set device ${deviceId(phones.from)} + :client_id * ${share} + (:turn * 7919) % ${share}`,
    String.raw`\set session hash(:round * 10000000000 + :client_id * 100000000 + :turn)`,
    String.raw`\set turn :turn + 1`,
    ...bodies.map((body) => `${body.replaceAll(/\s*\n\s*/g, ' ').trim()};`),
    '',
  ].join('\n');
}

/** Writes a value as SQL: a variable if it equals a mark, or text concatenated with variables if it contains one. */
function written(value: unknown, marks: Record<string, string>): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'number') return String(value);
  const text = String(value);
  for (const [name, mark] of Object.entries(marks)) if (text === mark) return `:${name}`;
  // A colon would start a variable, even inside a string.
  const literal = `'${text.replaceAll("'", "''").replaceAll(':', "' || chr(58) || '")}'`;
  const pieces = Object.entries(marks).reduce(
    (sql, [name, mark]) => sql.replaceAll(mark, `' || :${name} || '`),
    literal,
  );
  return `(${pieces})`;
}

export interface PgbenchResult {
  transactions: number;
  perSecond: number;
}

/**
 * Runs the script. Rounds on the same database need different numbers, because their session ids would collide
 * otherwise.
 * @throws Error with the output of pgbench if pgbench is missing or a statement fails.
 */
export async function pgbench(
  url: string,
  script: string,
  options: { clients: number; seconds: number; round: number },
): Promise<PgbenchResult> {
  const folder = await mkdtemp(join(tmpdir(), 'phonebooth-pgbench-'));
  try {
    const file = join(folder, 'pair.sql');
    await writeFile(file, script);
    const { clients, seconds, round } = options;
    const load = ['-c', `${clients}`, '-j', '1', '-T', `${seconds}`];
    const variables = ['-D', 'turn=0', '-D', `round=${round}`];
    const { stdout } = await promisify(execFile)(
      findPgbench(),
      ['-n', '-M', 'prepared', ...load, ...variables, '-f', file, url],
      { timeout: (seconds + 30) * 1000 },
    );
    const transactions = Number(/actually processed: (\d+)/.exec(stdout)?.[1]);
    const perSecond = Number(/tps = ([\d.]+)/.exec(stdout)?.[1]);
    if (!(transactions > 0) || /failed transactions: [1-9]/.test(stdout)) throw new Error(stdout);
    return { transactions, perSecond };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function findPgbench(): string {
  const packaged = globSync('/usr/lib/postgresql/*/bin').sort().reverse();
  const folders = [...packaged, ...(process.env.PATH ?? '').split(delimiter)];
  const found = folders.map((folder) => join(folder, 'pgbench')).find(isProgram);
  if (found) return found;
  throw new Error('pgbench was not found. Install PostgreSQL (Debian: apt install postgresql).');
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
