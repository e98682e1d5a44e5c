import { type Command, Option } from 'commander';
import { GroupAdmin, type GroupRow } from '../main/group-admin.ts';
import { label, print, table } from './output.ts';
import { addSettings, configFrom } from './settings.ts';

interface SetOptions {
  rename?: string;
  /** false: none. */
  accounts?: string[] | false;
  addDevices?: string[];
  removeDevices?: string[];
}

/** `phonebooth groups`: which accounts see and use which phones, on this data folder or database. */
export function addGroupsCommand(program: Command): void {
  const groups = program
    .command('groups')
    .description('make groups of phones, which only the accounts of a group see and use');
  addSettings(groups.command('list').description('list groups: name, phones, accounts, id'))
    .option('--json', 'print JSON')
    .action(list);
  addSettings(groups.command('create <name>').description('make a group'))
    .option('--accounts <names...>', 'the accounts that are to see its phones')
    .option('--json', 'print JSON')
    .action(create);
  addSettings(groups.command('set <name>').description('change a group; what is not named stays'))
    .addOption(new Option('--rename <name>', 'what it is to be called').argParser(label))
    .option('--accounts <names...>', 'all accounts that are to see its phones')
    .option('--no-accounts', 'nobody is to see its phones')
    .option('--add-devices <ids...>', 'phones to put into it')
    .option('--remove-devices <ids...>', 'phones to take out of it: everybody sees them then')
    .action(set);
  addSettings(groups.command('delete <name>').description('delete a group without phones')).action(remove);
}

async function list(options: { json?: boolean }): Promise<void> {
  await using admin = await GroupAdmin.open(configFrom(options));
  const rows = await admin.list();
  if (options.json) return print(JSON.stringify(rows));
  print(rows.length === 0 ? 'No groups: every account sees every phone.' : describe(rows));
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
  print(`Deleted the group ${name}.`);
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
