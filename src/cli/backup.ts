import type { Command } from 'commander';
import type { DatabaseContents } from '../operator/backup.ts';
import { counted, print } from './output.ts';
import { addSettings, configFrom } from './settings.ts';

/** `phonebooth backup` and `restore`: back up and restore the embedded database and its files. */
export function addBackupCommands(program: Command): void {
  addSettings(
    program
      .command('backup <folder>')
      .description('back up the embedded database and its files; the service may be running'),
  ).action(async (folder: string, options: object) => {
    const config = configFrom(options);
    const { backUp } = await import('../operator/backup.ts');
    print(`Backed up to ${folder}: ${inWords(await backUp(config, folder))}.`);
  });
  addSettings(
    program.command('restore <folder>').description('restore a backup into an empty data folder'),
  ).action(async (folder: string, options: object) => {
    const config = configFrom(options);
    const { restore } = await import('../operator/backup.ts');
    print(
      `Restored to ${config.dataDir}: ${inWords(await restore(config, folder))}. You can start the service now.`,
    );
  });
}

const inWords = ({ accounts, sessions, apps, schema }: DatabaseContents) =>
  `${counted(accounts, 'account')}, ${counted(sessions, 'session')}, ${counted(apps.length, 'app')}, schema ${schema}`;
