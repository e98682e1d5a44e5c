import type { Command } from 'commander';
import type { DatabaseContents } from '../operator/backup.ts';
import { counted } from '../util/counted.ts';
import { addJson, type JsonOptions, printResult } from './output.ts';
import { addStoreSettings, configFrom } from './settings.ts';

/** `phonebooth backup` and `restore`: back up and restore the embedded database and its files. */
export function addBackupCommands(program: Command): void {
  const add = (words: string, description: string) =>
    addStoreSettings(addJson(program.command(words).description(description)), 'PHONEBOOTH_APPS_DIR');
  add('backup <folder>', 'back up the embedded database and its files; the service may be running').action(
    async (folder: string, options: JsonOptions) => {
      const config = configFrom(options);
      const { backUp } = await import('../operator/backup.ts');
      const contents = await backUp(config, folder);
      printResult(
        options,
        { folder, ...totals(contents) },
        `Backed up to ${folder}: ${summaryOf(contents)}.`,
      );
    },
  );
  add('restore <folder>', 'restore a backup into an empty data folder').action(
    async (folder: string, options: JsonOptions) => {
      const config = configFrom(options);
      const { restore } = await import('../operator/backup.ts');
      const contents = await restore(config, folder);
      printResult(
        options,
        { folder: config.dataDir, ...totals(contents) },
        `Restored to ${config.dataDir}: ${summaryOf(contents)}. You can start the service now.`,
      );
    },
  );
}

const totals = ({ apps, ...contents }: DatabaseContents) => ({ ...contents, apps: apps.length });

const summaryOf = ({ accounts, sessions, apps, schema }: DatabaseContents) =>
  `${counted(accounts, 'account')}, ${counted(sessions, 'session')}, ${counted(apps.length, 'app')}, schema ${schema}`;
