import { type Command, Option } from 'commander';
import type { Account } from '../contract/http/account.ts';
import { KeyAdmin } from '../operator/key-admin.ts';
import {
  addJson,
  addListJson,
  counted,
  type JsonOptions,
  type Limit,
  type ListOptions,
  label,
  limit,
  limitOrNull,
  print,
  printList,
  printResult,
  table,
} from './output.ts';
import { addStoreSettings, configFrom } from './settings.ts';

interface SetOptions extends JsonOptions {
  rename?: string;
  minutes?: Limit;
  sessions?: Limit;
  appStorage?: Limit;
  enable?: boolean;
  disable?: boolean;
}

/** `phonebooth accounts`: manages accounts and their limits, directly in this data folder or database. */
export function addAccountsCommand(program: Command): void {
  const accounts = program
    .command('accounts')
    .description('list, limit and disable accounts; phonebooth keys create creates them');
  addStoreSettings(
    addListJson(accounts.command('list')).description('list accounts with their usage, limits, state and id'),
  ).action((options) => list(options));
  addStoreSettings(
    addJson(accounts.command('set <name>')).description('change an account; omitted options change nothing'),
  )
    .addOption(new Option('--rename <name>', 'new name of the account').argParser(label))
    .addOption(new Option('--minutes <n>', 'monthly device-minutes, or unlimited').argParser(limit))
    .addOption(new Option('--sessions <n>', 'concurrent sessions, or unlimited').argParser(limit))
    .addOption(new Option('--app-storage <MB>', 'disk space for the apps, or unlimited').argParser(limit))
    .addOption(
      new Option('--disable', 'reject the keys of the account and end its live sessions').conflicts('enable'),
    )
    .option('--enable', 'accept the keys of the account again')
    .action((name: string, options) => set(name, options));
}

async function list(options: ListOptions): Promise<void> {
  await using admin = await KeyAdmin.open(configFrom(options));
  await printList(options, await admin.accounts(), { empty: 'No accounts.', text: describe });
}

async function set(name: string, options: SetOptions): Promise<void> {
  await using admin = await KeyAdmin.open(configFrom(options));
  const { account, ended } = await admin.updateAccount(name, {
    name: options.rename,
    quotaMinutes: limitOrNull(options.minutes),
    maxSessions: limitOrNull(options.sessions),
    maxAppBytes: bytesOf(limitOrNull(options.appStorage)),
    disabled: options.disable ? true : options.enable ? false : undefined,
  });
  printResult(options, account, describe([account]));
  if (ended > 0 && !options.json) print(`${counted(ended, 'live session')} ended.`);
}

const MIB = 1024 * 1024;
// Rounded up, so that a size below 1 MB does not look like zero.
const megabytes = (bytes: number) => Math.ceil(bytes / MIB);
const bytesOf = (said: number | null | undefined) => (typeof said === 'number' ? said * MIB : said);

function describe(accounts: Account[]): string {
  const of = (used: number, most: number | null) => `${used} of ${most ?? 'unlimited'}`;
  const cells = accounts.map((row) => [
    row.name,
    of(row.minutes_used, row.quota_minutes),
    of(row.live_sessions, row.max_sessions),
    of(megabytes(row.app_bytes), row.max_app_bytes === null ? null : megabytes(row.max_app_bytes)),
    row.disabled_at === null ? 'enabled' : 'disabled',
    row.id,
  ]);
  return table([['NAME', 'MINUTES THIS MONTH', 'SESSIONS', 'APPS, MB', 'STATE', 'ID'], ...cells]);
}
