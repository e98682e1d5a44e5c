import { readFileSync } from 'node:fs';
import { similarNames } from '../util/similar-names.ts';
import { isFileVariable, mayBeInFile, SETTINGS, type SettingName } from './settings.ts';

/** A setting or an option has an invalid value. The message is one line that begins with its name. */
export class ConfigError extends Error {
  constructor(setting: string, message: string) {
    super(`${setting} ${message}`);
    this.name = 'ConfigError';
  }
}

/** Maximum size of a file with a secret. */
const MAX_SECRET_BYTES = 64 * 1024;

/**
 * Returns the value of a setting's environment variable, or undefined. A secret may also be in the file that its
 * variable with `_FILE` names, as Docker and Kubernetes provide secrets.
 * @throws ConfigError when both are set, or the file cannot be read
 */
export function variable(name: SettingName, environment: NodeJS.ProcessEnv): string | undefined {
  const value = environment[name] || undefined;
  const file = mayBeInFile(name) ? environment[`${name}_FILE`] : undefined;
  if (!file) return value;
  if (value !== undefined) throw new ConfigError(`${name}_FILE`, `must not be set together with ${name}`);
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${name}_FILE`, `cannot be read: ${(error as Error).message}`);
  }
  // Editors and `echo` end a file with a line break.
  const secret = text.replace(/\r?\n$/, '');
  if (secret === '' || text.length > MAX_SECRET_BYTES)
    throw new ConfigError(
      `${name}_FILE`,
      `must name a file that contains only the secret; ${file} is ${secret === '' ? 'empty' : 'too large'}`,
    );
  return secret;
}

/** Variables that `phonebooth run` sets for the command that it runs, with their contents. */
export const RUN_VARIABLES = {
  PHONEBOOTH_URL: 'URL of the service',
  PHONEBOOTH_API_KEY: 'the API key, also if `run` read it from a file',
  PHONEBOOTH_SESSION_ID: 'id of the session',
  PHONEBOOTH_DEVICE_ID: 'id of the phone',
  PHONEBOOTH_SESSION_STREAM_URL: 'URL of the stream socket',
  PHONEBOOTH_SESSION_CONTROL_URL: 'URL of the control socket; not set for a key that may only watch',
  PHONEBOOTH_WEBDRIVER_URL: 'URL of the endpoint for WebDriver clients',
  PHONEBOOTH_SHARD_INDEX: 'number of the phone, from 1',
  PHONEBOOTH_SHARD_TOTAL: 'number of phones; 1 without `--phones`',
} as const;

export type RunVariables = Record<keyof typeof RUN_VARIABLES, string | undefined>;

/** Suffixes of the variables that Kubernetes sets in each pod for each Service, after the name of the Service. */
const SERVICE_LINK =
  /_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/;
/** The value of `<NAME>_PORT` is a URL. For a Service named `phonebooth`, that variable has the name of a setting. */
const SERVICE_LINK_URL = /^(tcp|udp|sctp):\/\//;

/**
 * Returns the environment without Kubernetes' variables for Services whose names begin with `phonebooth`.
 * https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
 */
export function withoutServiceLinks(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isLink = ([name, value]: [string, string | undefined]) =>
    SERVICE_LINK.test(name) || (name.endsWith('_PORT') && SERVICE_LINK_URL.test(value ?? ''));
  const entries = Object.entries(environment);
  return Object.fromEntries(entries.filter((entry) => !entry[0].startsWith('PHONEBOOTH') || !isLink(entry)));
}

const PREFIX = 'PHONEBOOTH_';
const withoutPrefix = (name: string) => name.slice(PREFIX.length);

/** A misspelt variable is an error: if it were ignored, the default would stay in force. */
export function rejectUnknown(environment: NodeJS.ProcessEnv): void {
  const known = { ...SETTINGS, ...RUN_VARIABLES };
  const unknown = Object.keys(environment).find(
    (name) => name.startsWith(PREFIX) && !(name in known) && !isFileVariable(name),
  );
  if (unknown === undefined) return;
  const similar = similarNames(withoutPrefix(unknown), Object.keys(known).map(withoutPrefix));
  const names = similar.map((name) => `${PREFIX}${name}`).join(' or ');
  if (names !== '') throw new ConfigError(unknown, `is not a setting. Did you mean ${names}?`);
  throw new ConfigError(unknown, `is not a setting. The settings are ${Object.keys(SETTINGS).join(', ')}.`);
}
