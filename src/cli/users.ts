import { type Command, Option } from 'commander';
import type { User } from '../contract/http/user.ts';
import { AccountAdmin } from '../operator/account-admin.ts';
import { counted } from '../util/counted.ts';
import {
  addJson,
  addListJson,
  type JsonOptions,
  type ListOptions,
  label,
  printList,
  printResult,
  table,
} from './output.ts';
import { addStoreSettings, configFrom } from './settings.ts';

/**
 * `phonebooth users`: manages users who sign in at the identity provider, directly in this data folder or database.
 */
export function addUsersCommand(program: Command): void {
  const users = program
    .command('users')
    .description('list, disable and enable users who sign in at the identity provider');
  addStoreSettings(
    addListJson(users.command('list')).description(
      'list users with their id, name, account, role, last sign-in and state',
    ),
  )
    .addOption(new Option('--account <name>', 'only users of this account').argParser(label))
    .action((options) => list(options));
  addStoreSettings(
    addJson(users.command('disable <id>')).description(
      'disable a user, revoke their keys and end their sessions',
    ),
  ).action((id: string, options) => change(id, true, options));
  addStoreSettings(addJson(users.command('enable <id>')).description('allow a user to sign in again')).action(
    (id: string, options) => change(id, false, options),
  );
}

async function list(options: ListOptions & { account?: string }): Promise<void> {
  await using admin = await AccountAdmin.open(configFrom(options));
  await printList(options, await admin.users(options.account), { empty: 'No users.', text: describe });
}

async function change(id: string, disabled: boolean, options: JsonOptions): Promise<void> {
  await using admin = await AccountAdmin.open(configFrom(options));
  const changed = await admin.updateUser(id, disabled);
  if (!changed) throw new Error(`user ${id} does not exist; list the users with phonebooth users list`);
  const { user, ended } = changed;
  const who = `${user.name} of account ${user.account.name}`;
  printResult(
    options,
    user,
    disabled
      ? `Disabled ${who}; ${counted(ended, 'live session')} ended.`
      : `Enabled ${who}. They can sign in again.`,
  );
}

function describe(users: User[]): string {
  const cells = users.map((row) => [
    row.id,
    row.name,
    row.email ?? '-',
    row.account.name,
    row.role,
    row.last_sign_in_at?.slice(0, 16) ?? 'never',
    row.disabled_at === null ? 'enabled' : 'disabled',
  ]);
  return table([['ID', 'NAME', 'EMAIL', 'ACCOUNT', 'ROLE', 'LAST SIGN-IN', 'STATE'], ...cells]);
}
