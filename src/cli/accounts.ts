import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Account, MAX_ARTIFACT_DAYS } from '../contract/http/account.ts';
import { AccountAdmin } from '../operator/account-admin.ts';
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
  recordSessions?: 'on' | 'off';
  artifactStorage?: Limit;
  artifactRetention?: Limit;
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
      new Option('--record-sessions <state>', 'whether sessions are recorded by default').choices([
        'on',
        'off',
      ]),
    )
    .addOption(
      new Option('--artifact-storage <MB>', 'space for the artifacts, or unlimited').argParser(limit),
    )
    .addOption(
      new Option(
        '--artifact-retention <days>',
        'days after which artifacts are deleted, or unlimited',
      ).argParser(days),
    )
    .addOption(
      new Option('--disable', 'reject the keys of the account and end its live sessions').conflicts('enable'),
    )
    .option('--enable', 'accept the keys of the account again')
    .action((name: string, options) => set(name, options));
}

function days(text: string): Limit {
  const value = limit(text);
  if (value !== 'unlimited' && (value < 1 || value > MAX_ARTIFACT_DAYS))
    throw new InvalidArgumentError(`must be a whole number from 1 to ${MAX_ARTIFACT_DAYS}, or unlimited`);
  return value;
}

async function list(options: ListOptions): Promise<void> {
  await using admin = await AccountAdmin.open(configFrom(options));
  await printList(options, await admin.accounts(), { empty: 'No accounts.', text: describe });
}

async function set(name: string, options: SetOptions): Promise<void> {
  await using admin = await AccountAdmin.open(configFrom(options));
  const { account, ended } = await admin.updateAccount(name, {
    name: options.rename,
    quotaMinutes: limitOrNull(options.minutes),
    maxSessions: limitOrNull(options.sessions),
    maxAppBytes: bytesOf(limitOrNull(options.appStorage)),
    recordSessions: options.recordSessions && options.recordSessions === 'on',
    maxArtifactBytes: bytesOf(limitOrNull(options.artifactStorage)),
    artifactDays: limitOrNull(options.artifactRetention),
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
  const space = (used: number, most: number | null) =>
    of(megabytes(used), most === null ? null : megabytes(most));
  const cells = accounts.map((row) => [
    row.name,
    of(row.minutes_used, row.quota_minutes),
    of(row.live_sessions, row.max_sessions),
    space(row.app_bytes, row.max_app_bytes),
    space(row.artifact_bytes, row.max_artifact_bytes),
    row.record_sessions ? 'on' : 'off',
    row.disabled_at === null ? 'enabled' : 'disabled',
    row.id,
  ]);
  return table([
    ['NAME', 'MINUTES THIS MONTH', 'SESSIONS', 'APPS, MB', 'ARTIFACTS, MB', 'RECORDING', 'STATE', 'ID'],
    ...cells,
  ]);
}
