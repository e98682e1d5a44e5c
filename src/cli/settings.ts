import { type Command, Option } from 'commander';
import { type Config, type Flags, readConfig } from '../server/config.ts';
import { isSecret, SETTINGS, type SettingName } from '../server/settings.ts';

const flagOf = (name: SettingName) =>
  `--${name.replace('PHONEBOOTH_', '').replaceAll('_', '-').toLowerCase()}`;

export const SETTINGS_HEADING = 'Settings, which are also environment variables:';

/** Adds these settings, or all of them, as flags, apart from secrets. */
export function addSettings(
  command: Command,
  names = Object.keys(SETTINGS) as readonly SettingName[],
): Command {
  for (const name of names.filter((name) => !isSecret(name))) {
    const option = new Option(`${flagOf(name)} <value>`, SETTINGS[name].help);
    command.addOption(option.helpGroup(SETTINGS_HEADING));
  }
  return command;
}

/** Adds the settings that say where the data of the service is. */
export const addStoreSettings = (command: Command, ...more: SettingName[]): Command =>
  addSettings(command, ['PHONEBOOTH_DATA_DIR', 'PHONEBOOTH_DATABASE_URL', ...more]);

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
