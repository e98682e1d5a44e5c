import { type Command, Option } from 'commander';
import { GroupAdmin, type GroupRow } from '../operator/group-admin.ts';
import { label, print, table } from './output.ts';
import { addSettings, configFrom } from './settings.ts';

interface SetOptions {
  rename?: string;
  /** `false` removes all accounts. */
  accounts?: string[] | false;
  addDevices?: string[];
  removeDevices?: string[];
}

/**
 * `phonebooth groups`: manages which accounts can see and use which phones, directly in this data folder or database.
 */
export function addGroupsCommand(program: Command): void {
  const groups = program
    .command('groups')
    .description('manage groups of phones; only the accounts of a group see and use its phones');
  addSettings(groups.command('list').description('list groups with their number of phones, accounts and id'))
    .option('--json', 'print JSON')
    .action(list);
  addSettings(groups.command('create <name>').description('create a group'))
    .option('--accounts <names...>', 'accounts that see the phones of the group')
    .option('--json', 'print JSON')
    .action(create);
  addSettings(groups.command('set <name>').description('change a group; omitted options change nothing'))
    .addOption(new Option('--rename <name>', 'new name of the group').argParser(label))
    .option('--accounts <names...>', 'accounts that see the phones of the group; replaces the current list')
    .option('--no-accounts', 'no account sees the phones of the group')
    .option('--add-devices <ids...>', 'ids of phones to add to the group')
    .option(
      '--remove-devices <ids...>',
      'ids of phones to remove from the group; all accounts can see them afterwards',
    )
    .action(set);
  addSettings(groups.command('delete <name>').description('delete a group without phones')).action(remove);
}

async function list(options: { json?: boolean }): Promise<void> {
  await using admin = await GroupAdmin.open(configFrom(options));
  const rows = await admin.list();
  if (options.json) return print(JSON.stringify(rows));
  print(rows.length === 0 ? 'No groups: all accounts see all phones.' : describe(rows));
}

async function create(name: string, options: { accounts?: string[]; json?: boolean }): Promise<void> {
  await using admin = await GroupAdmin.open(configFrom(options));
  const group = await admin.create(label(name), options.accounts ?? []);
  print(options.json ? JSON.stringify(group) : describe([group]));
}

async function set(name: string, options: SetOptions): Promise<void> {
  await using admin = await GroupAdmin.open(configFrom(options));
  const group = await admin.change(name, {
    name: options.rename,
    accounts: options.accounts === false ? [] : options.accounts,
    addDevices: options.addDevices ?? [],
    removeDevices: options.removeDevices ?? [],
  });
  print(describe([group]));
}

async function remove(name: string, options: object): Promise<void> {
  await using admin = await GroupAdmin.open(configFrom(options));
  await admin.delete(name);
  print(`Deleted group ${name}.`);
}

function describe(rows: GroupRow[]): string {
  const cells = rows.map(({ id, name, devices, accounts }) => [
    name,
    String(devices),
    accounts.length === 0 ? '-' : accounts.map((account) => account.name).join(', '),
    id,
  ]);
  return table([['NAME', 'PHONES', 'ACCOUNTS', 'ID'], ...cells]);
}
