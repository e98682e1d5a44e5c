import type { Command } from 'commander';
import type { DatabaseContents } from '../main/backup.ts';
import { print } from './output.ts';
import { addSettings, configFrom } from './settings.ts';

/** `phonebooth backup` and `restore`, of the embedded database and what belongs to it. */
export function addBackupCommands(program: Command): void {
  addSettings(
    program.command('backup <folder>').description('copy all that this service knows, while it runs'),
  ).action(async (folder: string, options: object) => {
    const config = configFrom(options);
    const { backUp } = await import('../main/backup.ts');
    print(`Backed up to ${folder}: ${inWords(await backUp(config, folder))}.`);
  });
  addSettings(
    program.command('restore <folder>').description('put a backup in a data folder that has no database'),
  ).action(async (folder: string, options: object) => {
    const config = configFrom(options);
    const { restore } = await import('../main/backup.ts');
    print(`Restored to ${config.dataDir}: ${inWords(await restore(config, folder))}. Start the service now.`);
  });
}

const inWords = ({ accounts, sessions, apps, schema }: DatabaseContents) =>
  `${accounts} accounts, ${sessions} sessions, ${apps.length} apps, schema ${schema}`;
