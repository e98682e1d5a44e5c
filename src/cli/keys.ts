import { type Command, Option } from 'commander';
import { MAX_KEY_DAYS, type Role } from '../contract/http/key.ts';
import { AccountAdmin, type OwnedKey } from '../operator/account-admin.ts';
import { counted } from '../util/counted.ts';
import {
  addJson,
  addListJson,
  type JsonOptions,
  type Limit,
  type ListOptions,
  label,
  limit,
  limitOrNull,
  printList,
  printResult,
  table,
  whole,
} from './output.ts';
import { addStoreSettings, configFrom } from './settings.ts';

const DAY_MS = 86_400_000;

interface CreateOptions extends JsonOptions {
  account: string;
  role: Role;
  name: string;
  days?: number;
  minutes?: Limit;
  sessions?: Limit;
}

/** `phonebooth keys`: manages API keys and creates their accounts, directly in this data folder or database. */
export function addKeysCommand(program: Command): void {
  const keys = program
    .command('keys')
    .description('create, list and revoke API keys; each key belongs to an account');
  addCreate(keys);
  addStoreSettings(
    addListJson(keys.command('list')).description(
      'list keys with their id, account, role, state and first characters',
    ),
  )
    .addOption(new Option('--account <name>', 'only keys of this account').argParser(label))
    .action((options) => list(options));
  addStoreSettings(
    addJson(keys.command('revoke <id>')).description('revoke a key and end the sessions that it created'),
  ).action((id: string, options) => revoke(id, options));
}

function addCreate(keys: Command): void {
  addStoreSettings(
    addJson(keys.command('create')).description('create a key, and its account if that does not exist'),
  )
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
    .addOption(
      new Option('--days <n>', 'days until it expires (default: never)').argParser(
        whole('number of days', 1, MAX_KEY_DAYS),
      ),
    )
    .addOption(
      new Option('--minutes <n>', 'monthly device-minutes of a new account, or unlimited').argParser(limit),
    )
    .addOption(
      new Option('--sessions <n>', 'concurrent sessions of a new account, or unlimited').argParser(limit),
    )
    .action((options) => create(options));
}

async function create(options: CreateOptions): Promise<void> {
  await using admin = await AccountAdmin.open(configFrom(options));
  const { key, created, newAccount } = await admin.create({
    accountName: options.account,
    name: options.name,
    role: options.role,
    validForMs: options.days === undefined ? null : options.days * DAY_MS,
    quotaMinutes: limitOrNull(options.minutes),
    maxSessions: limitOrNull(options.sessions),
  });
  const owner = `${newAccount ? 'the new account' : 'account'} ${created.account.name}`;
  printResult(
    options,
    { ...created, key },
    `${key}\n\nCreated key ${created.id} (${created.role}) of ${owner}. The key above is not shown again.`,
  );
}

async function list(options: ListOptions & { account?: string }): Promise<void> {
  await using admin = await AccountAdmin.open(configFrom(options));
  await printList(options, await admin.list(options.account), { empty: 'No keys.', text: describe });
}

async function revoke(id: string, options: JsonOptions): Promise<void> {
  await using admin = await AccountAdmin.open(configFrom(options));
  const revoked = await admin.revoke(id);
  if (!revoked) throw new Error(`key ${id} does not exist; list the keys with phonebooth keys list`);
  const { key, ended } = revoked;
  printResult(
    options,
    key,
    `Revoked key ${key.prefix}… of account ${key.account.name}; ${counted(ended, 'live session')} ended.`,
  );
}

function describe(keys: OwnedKey[]): string {
  const cells = keys.map((row) => [
    row.id,
    row.account.name,
    row.role,
    state(row),
    `${row.prefix}…`,
    row.name,
  ]);
  return table([['ID', 'ACCOUNT', 'ROLE', 'STATE', 'KEY', 'NAME'], ...cells]);
}

function state({ revoked_at: revokedAt, expires_at: expiresAt }: OwnedKey): string {
  if (revokedAt !== null) return 'revoked';
  if (expiresAt === null) return 'valid';
  const day = expiresAt.slice(0, 10);
  return Date.parse(expiresAt) < Date.now() ? `expired ${day}` : `until ${day}`;
}
