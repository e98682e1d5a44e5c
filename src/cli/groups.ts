import { type Command, Option } from 'commander';
import type { Group } from '../contract/http/group.ts';
import { GroupAdmin } from '../operator/group-admin.ts';
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

interface SetOptions extends JsonOptions {
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
  addStoreSettings(
    addListJson(groups.command('list')).description(
      'list groups with their number of phones, accounts and id',
    ),
  ).action(list);
  addStoreSettings(addJson(groups.command('create <name>')).description('create a group'))
    .option('--accounts <names...>', 'accounts that see the phones of the group')
    .action(create);
  addStoreSettings(
    addJson(groups.command('set <name>')).description('change a group; omitted options change nothing'),
  )
    .addOption(new Option('--rename <name>', 'new name of the group').argParser(label))
    .option('--accounts <names...>', 'accounts that see the phones of the group; replaces the current list')
    .option('--no-accounts', 'no account sees the phones of the group')
    .option('--add-devices <ids...>', 'ids of phones to add to the group')
    .option(
      '--remove-devices <ids...>',
      'ids of phones to remove from the group; all accounts can see them afterwards',
    )
    .action(set);
  addStoreSettings(
    addJson(groups.command('delete <name>')).description('delete a group without phones'),
  ).action(remove);
}

async function list(options: ListOptions): Promise<void> {
  await using admin = await GroupAdmin.open(configFrom(options));
  const empty = 'No groups: all accounts see all phones.';
  await printList(options, await admin.list(), { empty, text: describe });
}

async function create(name: string, options: JsonOptions & { accounts?: string[] }): Promise<void> {
  await using admin = await GroupAdmin.open(configFrom(options));
  const group = await admin.create(label(name), options.accounts ?? []);
  printResult(options, group, describe([group]));
}

async function set(name: string, options: SetOptions): Promise<void> {
  await using admin = await GroupAdmin.open(configFrom(options));
  const group = await admin.change(name, {
    name: options.rename,
    accounts: options.accounts === false ? [] : options.accounts,
    addDevices: options.addDevices ?? [],
    removeDevices: options.removeDevices ?? [],
  });
  printResult(options, group, describe([group]));
}

async function remove(name: string, options: JsonOptions): Promise<void> {
  await using admin = await GroupAdmin.open(configFrom(options));
  await admin.delete(name);
  printResult(options, {}, `Deleted group ${name}.`);
}

function describe(groups: Group[]): string {
  const cells = groups.map(({ id, name, devices, accounts }) => [
    name,
    String(devices),
    accounts.length === 0 ? '-' : accounts.map((account) => account.name).join(', '),
    id,
  ]);
  return table([['NAME', 'PHONES', 'ACCOUNTS', 'ID'], ...cells]);
}
