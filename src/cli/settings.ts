import type { Command } from 'commander';
import { type Config, type Flags, readConfig } from '../server/config.ts';
import { isSecret, SETTINGS, type SettingName } from '../server/settings.ts';

const flagOf = (name: SettingName) =>
  `--${name.replace('PHONEBOOTH_', '').replaceAll('_', '-').toLowerCase()}`;

/** Adds every setting that is not a secret as a flag. */
export function addSettings(command: Command): Command {
  for (const [name, { help }] of Object.entries(SETTINGS)) {
    const setting = name as SettingName;
    if (!isSecret(setting)) command.option(`${flagOf(setting)} <value>`, help);
  }
  return command;
}

/** @throws ConfigError */
export function configFrom(options: object): Config {
  const flags: Flags = {};
  for (const name of Object.keys(SETTINGS) as SettingName[]) {
    const attribute = flagOf(name)
      .slice(2)
      .replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    const value = (options as Record<string, unknown>)[attribute];
    if (typeof value === 'string') flags[name] = value;
  }
  return readConfig(flags);
}
