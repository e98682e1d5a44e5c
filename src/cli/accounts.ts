import { type Command, Option } from 'commander';
import { type AccountUse, KeyAdmin } from '../operator/key-admin.ts';
import { counted, type Limit, label, limit, limitOrNull, print, table } from './output.ts';
import { addSettings, configFrom } from './settings.ts';

interface SetOptions {
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
  addSettings(accounts.command('list').description('list accounts with their usage, limits, state and id'))
    .option('--json', 'print JSON')
    .action((options) => list(options));
  addSettings(accounts.command('set <name>').description('change an account; omitted options change nothing'))
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

async function list(options: { json?: boolean }): Promise<void> {
  await using admin = await KeyAdmin.open(configFrom(options));
  const rows = await admin.accounts();
  if (options.json) return print(JSON.stringify(rows));
  print(rows.length === 0 ? 'No accounts.' : describe(rows));
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
  print(describe([account]));
  if (ended > 0) print(`${counted(ended, 'live session')} ended.`);
}

const MIB = 1024 * 1024;
// Rounded up, so that a size below 1 MB does not look like zero.
const megabytes = (bytes: number) => Math.ceil(bytes / MIB);
const bytesOf = (said: number | null | undefined) => (typeof said === 'number' ? said * MIB : said);

function describe(rows: AccountUse[]): string {
  const of = (used: number, most: number | null) => `${used} of ${most ?? 'unlimited'}`;
  const cells = rows.map((row) => [
    row.name,
    of(row.minutesUsed, row.quotaMinutes),
    of(row.liveSessions, row.maxSessions),
    of(megabytes(row.appBytes), row.maxAppBytes === null ? null : megabytes(row.maxAppBytes)),
    row.disabledAt === null ? 'enabled' : 'disabled',
    row.id,
  ]);
  return table([['NAME', 'MINUTES THIS MONTH', 'SESSIONS', 'APPS, MB', 'STATE', 'ID'], ...cells]);
}
