import type { Command } from 'commander';
import type { Phonebooth } from '../client/phonebooth.ts';
import type { App } from '../contract/http/app.ts';
import type { ControlResult } from '../contract/sockets/control-methods.ts';
import { addListJson, type ListOptions, printList, table } from './output.ts';
import { addSession, openService, type RemoteOptions, withPhone } from './remote.ts';

type InstalledApp = ControlResult<'app.list'>['apps'][number];

interface AppsOptions extends RemoteOptions, ListOptions {
  installed?: boolean;
}

const MEGABYTE = 1_000_000;
const PAGE_SIZE = 100;

/** `phonebooth apps` and `launch`. */
export function addAppCommands(program: Command): void {
  addSession(addListJson(program.command('apps')))
    .description('list the uploaded apps of the account with their id, package and version')
    .option('--installed', 'list the apps that are installed on the borrowed phone instead')
    .action(apps);
  addSession(program.command('launch').description('launch an installed app'))
    .argument('<package>', 'package name of the app, such as com.example.app')
    .option('--activity <name>', 'launch this activity of the app')
    .action((name: string, { activity, ...options }: RemoteOptions & { activity?: string }) =>
      withPhone(options, (phone) => phone.launch(name, activity === undefined ? {} : { activity })),
    );
}

async function apps(options: AppsOptions): Promise<void> {
  if (options.installed) {
    const installed = await withPhone(options, (phone) => phone.apps());
    return printList(options, installed, { empty: 'No apps are installed.', text: describeInstalled });
  }
  const service = await openService(options);
  await printList(options, uploaded(service), { empty: 'No apps.', text: describe });
}

async function* uploaded(service: Phonebooth): AsyncGenerator<App> {
  for (let page = 1; ; page += 1) {
    const { items, total } = await service.api.listApps({ page, page_size: PAGE_SIZE });
    yield* items;
    if (page * PAGE_SIZE >= total) return;
  }
}

function describe(rows: App[]): string {
  const cells = rows.map((row) => [
    ...[row.id, row.name, row.package, row.version],
    ...[(row.size / MEGABYTE).toFixed(1), row.created_at],
  ]);
  return table([['ID', 'NAME', 'PACKAGE', 'VERSION', 'MB', 'UPLOADED'], ...cells]);
}

const describeInstalled = (rows: InstalledApp[]) =>
  table([
    ['PACKAGE', 'NAME', 'KIND'],
    ...rows.map((row) => [row.package, row.label, row.system ? 'system' : 'installed']),
  ]);
