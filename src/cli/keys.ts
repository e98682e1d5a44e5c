import { type Command, Option } from 'commander';
import { KeyAdmin, type KeyRow, type Role } from '../operator/key-admin.ts';
import { counted, type Limit, label, limit, limitOrNull, print, table, wholeNumber } from './output.ts';
import { addSettings, configFrom } from './settings.ts';

const DAY_MS = 86_400_000;

interface CreateOptions {
  account: string;
  role: Role;
  name: string;
  days?: number;
  minutes?: Limit;
  sessions?: Limit;
  json?: boolean;
}

/** `phonebooth keys`: manages API keys and creates their accounts, directly in this data folder or database. */
export function addKeysCommand(program: Command): void {
  const keys = program
    .command('keys')
    .description('create, list and revoke API keys; each key belongs to an account');
  addCreate(keys);
  addSettings(
    keys.command('list').description('list keys with their id, account, role, state and first characters'),
  )
    .addOption(new Option('--account <name>', 'only keys of this account').argParser(label))
    .option('--json', 'print JSON')
    .action((options) => list(options));
  addSettings(
    keys.command('revoke <id>').description('revoke a key and end the sessions that it created'),
  ).action((id: string, options) => revoke(id, options));
}

function addCreate(keys: Command): void {
  addSettings(keys.command('create').description('create a key, and its account if that does not exist'))
    .addOption(
      new Option('--account <name>', 'account that the key belongs to')
        .argParser(label)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--role <role>', 'role of the key').choices(['user', 'admin', 'viewer']).default('user'),
    )
    .addOption(
      new Option('--name <name>', 'name of the key, such as its purpose').argParser(label).default('key'),
    )
    .addOption(new Option('--days <n>', 'days until it expires (default: never)').argParser(wholeNumber))
    .addOption(
      new Option('--minutes <n>', 'monthly device-minutes of a new account, or unlimited').argParser(limit),
    )
    .addOption(
      new Option('--sessions <n>', 'concurrent sessions of a new account, or unlimited').argParser(limit),
    )
    .option('--json', 'print JSON')
    .action((options) => create(options));
}

async function create(options: CreateOptions): Promise<void> {
  await using admin = await KeyAdmin.open(configFrom(options));
  const { key, row, newAccount } = await admin.create({
    accountName: options.account,
    name: options.name,
    role: options.role,
    validForMs: options.days === undefined ? null : options.days * DAY_MS,
    quotaMinutes: limitOrNull(options.minutes),
    maxSessions: limitOrNull(options.sessions),
  });
  if (options.json) print(JSON.stringify({ key, ...row, newAccount }));
  else
    print(
      `${key}\n\nKey ${row.id} (${row.role}) of ${newAccount ? 'the new account' : 'account'} ${row.accountName}. It is not shown again.`,
    );
}

async function list(options: { account?: string; json?: boolean }): Promise<void> {
  await using admin = await KeyAdmin.open(configFrom(options));
  const rows = await admin.list(options.account);
  if (options.json) print(JSON.stringify(rows));
  else print(rows.length === 0 ? 'No keys.' : describe(rows));
}

async function revoke(id: string, options: object): Promise<void> {
  await using admin = await KeyAdmin.open(configFrom(options));
  const revoked = await admin.revoke(id);
  if (!revoked) throw new Error(`key ${id} does not exist; list the keys with phonebooth keys list`);
  print(
    `Revoked key ${revoked.row.prefix}… of account ${revoked.row.accountName}; ${counted(revoked.ended, 'live session')} ended.`,
  );
}

function describe(rows: KeyRow[]): string {
  const cells = rows.map((row) => [
    row.id,
    row.accountName,
    row.role,
    state(row),
    `${row.prefix}…`,
    row.name,
  ]);
  return table([['ID', 'ACCOUNT', 'ROLE', 'STATE', 'KEY', 'NAME'], ...cells]);
}

function state({ revokedAt, expiresAt }: KeyRow): string {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt === null) return 'valid';
  const day = new Date(expiresAt).toISOString().slice(0, 10);
  return expiresAt < Date.now() ? `expired ${day}` : `until ${day}`;
}
