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
import type { OperationId } from '../../src/contract/http/operations.ts';
import type { AuditEvent, AuditTarget } from '../../src/store/audit/audit-store.ts';
import type { Value } from '../../src/store/engine/engine.ts';
import type { Store } from '../../src/store/store.ts';
import { type Borrower, deviceId } from './shelf.ts';

/** Placeholder values for what differs from pair to pair. They are found again in the recorded statements. */
const marksOf = ({ accountId, keyId }: Borrower, count: number, index: number) => ({
  device: deviceId(index),
  session: `session-${index}-of-${count}-that-are-recorded`,
  account: accountId,
  key: keyId,
});

interface Statement {
  text: string;
  values: (Value | undefined)[];
}

/** The statements of a number of pairs, and the accounts with which they were recorded. */
export interface RecordedPairs {
  count: number;
  borrowers: Borrower[];
  statements: Statement[];
}

/**
 * Records the statements that the store sends for `count` connects and disconnects at the same time, each with its audit
 * entry, as over HTTP. Executes the pairs on the first phones.
 */
export async function recordPairs(
  store: Store,
  borrowers: Borrower[],
  count: number,
): Promise<RecordedPairs> {
  const statements: Statement[] = [];
  const isShared = ({ values }: Statement) => values.some((value) => Array.isArray(value));
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function (this: pg.Client, ...parts: unknown[]) {
    const [sent] = parts as [string | Statement];
    if (typeof sent !== 'string' && (count === 1 || isShared(sent))) statements.push(sent);
    return Reflect.apply(query, this, parts);
  } as typeof query;
  const event = ({ accountId, keyId }: Borrower, action: OperationId, target: AuditTarget): AuditEvent => {
    return { accountId, keyId, action, address: '127.0.0.1', targets: [target] };
  };
  // The last one is sent first and runs alone. The others wait for it, and then share a statement.
  const order = borrowers.slice(0, count === 1 ? 1 : count + 1).reverse();
  try {
    const connects = order.map(async (borrower, at) => {
      const { accountId, keyId } = borrower;
      const { device, session } = marksOf(borrower, count, order.length - 1 - at);
      const command = { sessionId: session, deviceId: device, accountId, keyId, minutes: 30 };
      const outcome = await store.connect(
        { ...command, appId: null, record: null, recordText: false, idempotency: null },
        event(borrower, 'devices.connect', { kind: 'device', id: device }),
      );
      if (!outcome.ok) throw new Error(`a connect was rejected: ${JSON.stringify(outcome.refusal)}`);
    });
    await Promise.all(connects);
    const ends = order.map((borrower, at) => {
      const { session } = marksOf(borrower, count, order.length - 1 - at);
      return store.end(
        { sessionId: session, accountId: borrower.accountId, reason: 'client' },
        event(borrower, 'sessions.disconnect', { kind: 'session', id: session }),
      );
    });
    await Promise.all(ends);
  } finally {
    pg.Client.prototype.query = query;
  }
  if (statements.length !== 2)
    throw new Error(`${count} pairs were sent as ${statements.length} statements instead of 2`);
  return { count, borrowers: borrowers.slice(0, count), statements };
}

/** How the clients of pgbench choose their account, phone and session. */
interface Choice {
  phones: { from: number; to: number };
  accounts: number;
}

/**
 * Sets the variables of the pairs of one script, numbered from 0. Each pair has its own account, as each connection has
 * over HTTP, and goes through its own phones by the same stride.
 */
function chooseScript({ phones, accounts }: Choice, pairs: number): string[] {
  const share = Math.floor((phones.to - phones.from) / accounts);
  const numbers = Array.from({ length: pairs }, (_, n) => n);
  const borrower = (n: number) => `(:client_id * ${pairs} + ${n})`;
  return [
    String.raw`\if :turn = 0`,
    ...numbers.map(
      (n) =>
        `select a.id as account${n}, k.id as key${n} from accounts a join keys k on k.account_id = a.id where a.name = 'borrower-' || ${borrower(n)} \\gset`,
    ),
    String.raw`\endif`,
    ...numbers.flatMap((n) => [
      String.raw`\set device${n} ${deviceId(phones.from)} + ${borrower(n)} * ${share} + (:turn * 7919) % ${share}`,
      // Ascending, with the same number of digits, as the ids that the service creates
      String.raw`\set session${n} 100000000000 + :round * 10000000000 + :turn * 1000 + ${borrower(n)}`,
    ]),
    String.raw`\set turn :turn + 1`,
  ];
}

/** Returns the recorded pairs as a pgbench script. Only what differs from pair to pair is replaced by variables. */
export function pairsScript({ count, borrowers, statements }: RecordedPairs, choice: Choice): string {
  const marks = Object.fromEntries(
    borrowers.flatMap((borrower, n) =>
      Object.entries(marksOf(borrower, count, n)).map(([name, mark]) => [name + n, mark]),
    ),
  );
  const bodies = statements.map(({ text, values }) =>
    text.replace(/\$(\d+)/g, (_, index) => written(values[Number(index) - 1], marks)),
  );
  return [...chooseScript(choice, count), ...bodies.map(oneLine), ''].join('\n');
}

const oneLine = (statement: string) => `${statement.replaceAll(/\s*\n\s*/g, ' ').trim()};`;

/**
 * A lease with nothing around it: a connect inserts the session and updates the phone and the account, and a
 * disconnect updates all three. Each table has its primary key and one index. Triggers, foreign keys, quotas,
 * events and audit entries are left out.
 */
const MINIMAL_SCHEMA = [
  'drop schema if exists minimal cascade',
  'create schema minimal',
  `create table minimal.devices (id text primary key, status text not null, epoch bigint not null)`,
  'create index on minimal.devices (status)',
  'create table minimal.accounts (id text primary key, live_sessions bigint not null)',
  'create index on minimal.accounts (live_sessions)',
  `create table minimal.sessions (id text primary key, device_id text not null, account_id text not null,
    epoch bigint not null, status text not null, created_at timestamptz not null, ended_at timestamptz)`,
  `create unique index on minimal.sessions (device_id) where status <> 'disconnected'`,
  `insert into minimal.devices select id, 'available', 0 from devices`,
  'insert into minimal.accounts select id, 0 from accounts',
  'analyze minimal.devices, minimal.accounts',
];

const MINIMAL_PAIR = [
  `with device as (
    update minimal.devices set status = 'busy', epoch = epoch + 1
    where id = cast(:device0 as text) and status = 'available' returning id, epoch),
  account as (
    update minimal.accounts set live_sessions = live_sessions + 1
    where id = :account0 and exists (select from device) returning id)
  insert into minimal.sessions (id, device_id, account_id, epoch, status, created_at)
  select cast(:session0 as text), device.id, account.id, epoch, 'connected', now() from device, account returning *`,
  `with ended as (
    update minimal.sessions set status = 'disconnected', ended_at = now()
    where id = cast(:session0 as text) and account_id = :account0 and status <> 'disconnected' returning *),
  device as (
    update minimal.devices set status = 'available' from ended where devices.id = ended.device_id),
  account as (
    update minimal.accounts set live_sessions = live_sessions - 1 from ended where accounts.id = ended.account_id)
  select * from ended`,
];

/** Creates the minimal schema for the phones and accounts in the database, and returns the script of a pair on it. */
export async function minimalScript(url: string, choice: Choice): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of MINIMAL_SCHEMA) await client.query(statement);
  } finally {
    await client.end();
  }
  return [...chooseScript(choice, 1), ...MINIMAL_PAIR.map(oneLine), ''].join('\n');
}

/** Writes a value as SQL: a variable if it equals a mark, or text concatenated with variables if it contains one. */
function written(value: Value | undefined, marks: Record<string, string>): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return `array[${value.map((one) => written(one, marks)).join(', ')}]`;
  if (typeof value === 'number') return String(value);
  const text = String(value);
  if (text.startsWith('aud_')) return `('aud_' || :session0 || '${text}')`;
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
