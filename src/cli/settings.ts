import type { Command } from 'commander';
import { type Config, type Flags, readConfig } from '../server/config.ts';
import { SETTINGS, type SettingName } from '../server/settings.ts';

const flagOf = (name: SettingName) =>
  `--${name.replace('PHONEBOOTH_', '').replaceAll('_', '-').toLowerCase()}`;

const SECRETS: SettingName[] = [
  'PHONEBOOTH_API_KEY',
  'PHONEBOOTH_OIDC_CLIENT_SECRET',
  'PHONEBOOTH_HOST_CREDENTIAL',
  'PHONEBOOTH_METRICS_KEY',
];

/**
 * Adds every setting as a flag. Secrets have no flag, because every user of the machine can read the command line of
 * a process.
 */
export function addSettings(command: Command): Command {
  for (const [name, { help }] of Object.entries(SETTINGS)) {
    const setting = name as SettingName;
    if (!SECRETS.includes(setting)) command.option(`${flagOf(setting)} <value>`, help);
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
