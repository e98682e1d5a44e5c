import { readFile } from 'node:fs/promises';
import type { RequestRates } from '../api/limits/request-limits.ts';
import type { SignInSettings } from '../api/sign-in/settings.ts';
import type { BucketSettings } from '../control-plane/artifacts/bucket-client.ts';
import { dataFiles } from '../store/engine/data-folder.ts';
import { toBucket } from './bucket-config.ts';
import { ConfigError, rejectUnknown, variable, withoutServiceLinks } from './environment.ts';
import { fieldsOf, SETTINGS, type SettingFields, type SettingName, type SettingValues } from './settings.ts';
import { type TracesConfig, tracesConfig } from './traces-config.ts';

/**
 * Longer than two health check intervals of common load balancers (HAProxy and Caddy: at most 2 s, as configured in
 * deploy/).
 */
const FLEET_DRAIN_SECONDS = 5;

const DEFAULT_ADB_SERVER = { host: '127.0.0.1', port: 5037 };

/** The value of each setting that declares its field in settings.ts, and what several settings determine together. */
export interface Config extends SettingFields {
  /** The operator's own certificate; null: the service creates one at the first start. */
  tlsFiles: { cert: string; key: string } | null;
  /** How people sign in to the console; null: only with keys. */
  signIn: SignInSettings | null;
  /** The address where adb's own tools expect the adb server. `auto` uses it. */
  defaultAdbServer: { host: string; port: number };
  /** Maximum size in pixels (0: the size of the screen), frames per second, and bits per second. */
  androidScreen: { maxSize: number; maxFps: number; bitRate: number };
  appsDir: string;
  artifactsDir: string;
  /** Where artifacts are stored; null: in that folder. */
  artifactBucket: BucketSettings | null;
  /** Requests per minute; null: unlimited. */
  requestRates: RequestRates;
  /** Time between SIGTERM and closing, in milliseconds. */
  drainMs: number;
  /** Where traces are sent; null: nowhere. */
  traces: TracesConfig | null;
  /** The PATH variable, for finding programs such as adb. */
  path: string;
  /** Environment variables of the Appium servers. */
  appiumEnv: Record<string, string>;
}

export { ConfigError } from './environment.ts';

export type Flags = Partial<Record<SettingName, string>>;

/**
 * Reads the configuration. This file is the only reader of the environment. Flags take precedence.
 * @throws ConfigError for the first setting with an invalid value
 */
export function readConfig(flags: Flags = {}, variables: NodeJS.ProcessEnv = process.env): Config {
  const environment = withoutServiceLinks(variables);
  rejectUnknown(environment);
  const values = Object.fromEntries(
    Object.entries(SETTINGS).map(([name, setting]) => {
      const text = flags[name as SettingName] ?? variable(name as SettingName, environment);
      try {
        return [name, setting.parse(text)];
      } catch (error) {
        throw new ConfigError(name, (error as Error).message);
      }
    }),
  ) as SettingValues;
  return toConfig(values, environment);
}

function toConfig(v: SettingValues, environment: NodeJS.ProcessEnv): Config {
  const streamHost = new URL(v.PHONEBOOTH_STREAM_URL ?? 'wss://localhost').hostname;
  const controlHost = new URL(v.PHONEBOOTH_CONTROL_URL ?? 'wss://127.0.0.1').hostname;
  if (streamHost === controlHost) {
    throw new ConfigError(
      'PHONEBOOTH_CONTROL_URL',
      `must have a different host name than the stream host; both are ${streamHost}`,
    );
  }
  return {
    ...fieldsOf(v),
    tlsFiles: tlsFilesOf(v),
    signIn: toSignIn(v),
    defaultAdbServer: v.PHONEBOOTH_ADB === 'auto' ? defaultAdbServer(environment) : DEFAULT_ADB_SERVER,
    androidScreen: {
      maxSize: v.PHONEBOOTH_ANDROID_MAX_SIZE,
      maxFps: v.PHONEBOOTH_ANDROID_MAX_FPS,
      bitRate: v.PHONEBOOTH_ANDROID_BIT_RATE,
    },
    appsDir: v.PHONEBOOTH_APPS_DIR ?? dataFiles(v.PHONEBOOTH_DATA_DIR).apps,
    artifactsDir: v.PHONEBOOTH_ARTIFACTS_DIR ?? dataFiles(v.PHONEBOOTH_DATA_DIR).artifacts,
    artifactBucket: toBucket(v),
    requestRates: toRates(v),
    drainMs:
      (v.PHONEBOOTH_DRAIN_SECONDS ?? (v.PHONEBOOTH_NATS_URL === null ? 0 : FLEET_DRAIN_SECONDS)) * 1000,
    traces: tracesConfig(v.PHONEBOOTH_TRACES_URL, environment),
    path: environment.PATH ?? '',
    appiumEnv: appiumEnvironment(environment),
  };
}

const toRates = (v: SettingValues): RequestRates => ({
  key: v.PHONEBOOTH_RATE_LIMIT,
  connect: v.PHONEBOOTH_RATE_LIMIT_CONNECT,
  address: v.PHONEBOOTH_RATE_LIMIT_ADDRESS,
  failed: v.PHONEBOOTH_RATE_LIMIT_FAILED_KEYS,
});

const SIGN_IN_NEEDS = [
  'PHONEBOOTH_OIDC_ISSUER',
  'PHONEBOOTH_OIDC_CLIENT_ID',
  'PHONEBOOTH_OIDC_GROUPS',
  'PHONEBOOTH_PUBLIC_URL',
] as const;
/** Settings that require the other sign-in settings. */
const SIGN_IN_SETTINGS = [
  'PHONEBOOTH_OIDC_ISSUER',
  'PHONEBOOTH_OIDC_CLIENT_ID',
  'PHONEBOOTH_OIDC_CLIENT_SECRET',
  'PHONEBOOTH_OIDC_GROUPS',
  'PHONEBOOTH_OIDC_NAME',
] as const;

/** Requires that either all required sign-in settings are present, or none. */
function toSignIn(v: SettingValues): SignInSettings | null {
  const given = SIGN_IN_SETTINGS.find((name) => v[name] !== null);
  if (!given) return null;
  const missing = SIGN_IN_NEEDS.find((name) => v[name] === null);
  if (missing) throw new ConfigError(missing, `is required because ${given} is set`);
  const issuer = v.PHONEBOOTH_OIDC_ISSUER!;
  return {
    issuer,
    clientId: v.PHONEBOOTH_OIDC_CLIENT_ID!,
    clientSecret: v.PHONEBOOTH_OIDC_CLIENT_SECRET,
    name: v.PHONEBOOTH_OIDC_NAME ?? new URL(issuer).hostname,
    scopes: v.PHONEBOOTH_OIDC_SCOPES,
    groupsClaim: v.PHONEBOOTH_OIDC_GROUPS_CLAIM,
    rules: v.PHONEBOOTH_OIDC_GROUPS!,
    keyForMs: v.PHONEBOOTH_OIDC_KEY_HOURS * 3_600_000,
    publicUrl: v.PHONEBOOTH_PUBLIC_URL!,
  };
}

export interface ClientConfig {
  /** Base URL of the service, without the version segment. */
  url: string;
  apiKey: string;
  /** The session that `phonebooth run` passes to the command that it runs. */
  sessionId: string | null;
}

/**
 * Reads the configuration of the commands that use phones. For a service on this machine, the key in its data folder
 * is the default.
 * @throws ConfigError
 */
export async function readClientConfig(
  flags: { url?: string },
  variables: NodeJS.ProcessEnv = process.env,
): Promise<ClientConfig> {
  const environment = withoutServiceLinks(variables);
  rejectUnknown(environment);
  const url = serviceUrl(flags, environment) ?? 'http://localhost:7100';
  const sessionId = environment.PHONEBOOTH_SESSION_ID || null;
  const apiKey = variable('PHONEBOOTH_API_KEY', environment) ?? (await keyOfDataFolder(environment));
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw new ConfigError(
      'PHONEBOOTH_API_KEY',
      'must be an API key, without spaces, line breaks or other text',
    );
  return { url, apiKey, sessionId };
}

/** Returns the address of the service that the user names, or null. @throws ConfigError */
export function serviceUrl(
  flags: { url?: string },
  environment: NodeJS.ProcessEnv = process.env,
): string | null {
  const url = flags.url || environment.PHONEBOOTH_URL || null;
  if (url !== null && !/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new ConfigError(
      flags.url ? '--url' : 'PHONEBOOTH_URL',
      'must be a URL such as https://phones.example.com',
    );
  return url;
}

async function keyOfDataFolder({ PHONEBOOTH_DATA_DIR: folder }: NodeJS.ProcessEnv): Promise<string> {
  const file = dataFiles(SETTINGS.PHONEBOOTH_DATA_DIR.parse(folder)).apiKey;
  const key = await readFile(file, 'utf8').catch(() => null);
  if (key === null)
    throw new ConfigError(
      'PHONEBOOTH_API_KEY',
      `is not set, and ${file} has no key. Ask an operator for an API key.`,
    );
  return key.trim();
}

function tlsFilesOf(v: SettingValues): Config['tlsFiles'] {
  const cert = v.PHONEBOOTH_TLS_CERT;
  const key = v.PHONEBOOTH_TLS_KEY;
  if (cert && !key)
    throw new ConfigError('PHONEBOOTH_TLS_KEY', 'is required because PHONEBOOTH_TLS_CERT is set');
  if (key && !cert)
    throw new ConfigError('PHONEBOOTH_TLS_CERT', 'is required because PHONEBOOTH_TLS_KEY is set');
  return cert && key ? { cert, key } : null;
}

/**
 * Returns where adb looks for its server: ADB_SERVER_SOCKET takes precedence over ANDROID_ADB_SERVER_ADDRESS and
 * ANDROID_ADB_SERVER_PORT.
 * Source: AOSP adb/client/commandline.cpp, adb_commandline().
 * @throws ConfigError for a variable that adb would reject too, or that does not name a port
 */
function defaultAdbServer(environment: NodeJS.ProcessEnv): { host: string; port: number } {
  const portOf = (name: string, text: string) => {
    if (/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535) return Number(text);
    throw new ConfigError(name, `must contain a port from 1 to 65535, not ${JSON.stringify(text)}`);
  };
  const socket = environment.ADB_SERVER_SOCKET;
  if (socket) {
    const [, host = '127.0.0.1', port] = /^tcp:(?:(.+):)?(\d+)$/.exec(socket) ?? [];
    if (port !== undefined)
      return { host: host.replaceAll(/[[\]]/g, ''), port: portOf('ADB_SERVER_SOCKET', port) };
    throw new ConfigError(
      'ADB_SERVER_SOCKET',
      'must be tcp:port or tcp:host:port; to ignore it, set PHONEBOOTH_ADB to host:port or to off',
    );
  }
  return {
    host: environment.ANDROID_ADB_SERVER_ADDRESS || DEFAULT_ADB_SERVER.host,
    port: portOf(
      'ANDROID_ADB_SERVER_PORT',
      environment.ANDROID_ADB_SERVER_PORT || String(DEFAULT_ADB_SERVER.port),
    ),
  };
}

/** What Appium and its drivers need. The settings of this process are not passed on, because they contain secrets. */
const APPIUM_VARIABLES = [
  ...['PATH', 'HOME', 'LANG', 'TMPDIR', 'APPIUM_HOME'],
  ...['ANDROID_HOME', 'ANDROID_SDK_ROOT', 'JAVA_HOME'],
];

const appiumEnvironment = (environment: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    APPIUM_VARIABLES.flatMap((name) => (environment[name] ? [[name, environment[name]]] : [])),
  );
