import { type Command, Option } from 'commander';
import { KeyAdmin, type UserRow } from '../operator/key-admin.ts';
import { counted, label, print, table } from './output.ts';
import { addSettings, configFrom } from './settings.ts';

/**
 * `phonebooth users`: manages users who sign in at the identity provider, directly in this data folder or database.
 */
export function addUsersCommand(program: Command): void {
  const users = program
    .command('users')
    .description('list, disable and enable users who sign in at the identity provider');
  addSettings(
    users
      .command('list')
      .description('list users with their id, name, account, role, last sign-in and state'),
  )
    .addOption(new Option('--account <name>', 'only users of this account').argParser(label))
    .option('--json', 'print JSON')
    .action((options) => list(options));
  addSettings(
    users.command('disable <id>').description('disable a user, revoke their keys and end their sessions'),
  ).action((id: string, options) => change(id, true, options));
  addSettings(users.command('enable <id>').description('allow a user to sign in again')).action(
    (id: string, options) => change(id, false, options),
  );
}

async function list(options: { account?: string; json?: boolean }): Promise<void> {
  await using admin = await KeyAdmin.open(configFrom(options));
  const rows = await admin.users(options.account);
  if (options.json) return print(JSON.stringify(rows));
  print(rows.length === 0 ? 'No users.' : describe(rows));
}

async function change(id: string, disabled: boolean, options: object): Promise<void> {
  await using admin = await KeyAdmin.open(configFrom(options));
  const changed = await admin.updateUser(id, disabled);
  if (!changed) throw new Error(`user ${id} does not exist; list the users with phonebooth users list`);
  const { user, ended } = changed;
  if (disabled)
    print(`Disabled ${user.name} of account ${user.accountName}; ${counted(ended, 'live session')} ended.`);
  else print(`Enabled ${user.name} of account ${user.accountName}. They can sign in again.`);
}

function describe(rows: UserRow[]): string {
  const cells = rows.map((row) => [
    row.id,
    row.name,
    row.email ?? '-',
    row.accountName,
    row.role,
    row.lastSignInAt === null ? 'never' : new Date(row.lastSignInAt).toISOString().slice(0, 16),
    row.disabledAt === null ? 'enabled' : 'disabled',
  ]);
  return table([['ID', 'NAME', 'EMAIL', 'ACCOUNT', 'ROLE', 'LAST SIGN-IN', 'STATE'], ...cells]);
}
