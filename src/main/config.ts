import { readFile } from 'node:fs/promises';
import type { RequestRates } from '../api/limits/request-limits.ts';
import type { SignInSettings } from '../api/sign-in/settings.ts';
import { dataFiles } from './data-folder.ts';
import type { AdbSetting, HostCredential } from './setting-values.ts';
import { SETTINGS, type SettingName, type SettingValues } from './settings.ts';

/** Longer than two health checks of common load balancers (HAProxy and Caddy: 2 s and less, as deploy/ sets them). */
const FLEET_DRAIN_SECONDS = 5;

/** A setting or an option that cannot be used. The message is one line that begins with its name. */
export class ConfigError extends Error {
  constructor(setting: string, message: string) {
    super(`${setting} ${message}`);
    this.name = 'ConfigError';
  }
}

const USUAL_ADB_SERVER = { host: '127.0.0.1', port: 5037 };

export interface Config {
  dataDir: string;
  host: string;
  port: number;
  tlsPort: number;
  /** The operator's own certificate; null: made at first start. */
  tlsFiles: { cert: string; key: string } | null;
  /** Public origins; null: the host's own names, with the port that was bound. */
  streamUrl: string | null;
  controlUrl: string | null;
  allowedOrigins: string[] | null;
  /** Whose word on where a request comes from is taken: addresses and networks. */
  trustedProxies: string[];
  apiKey: string | null;
  /** How people sign in to the console; null: with keys alone. */
  signIn: SignInSettings | null;
  simulatedPhones: number;
  adb: AdbSetting;
  /** Where adb's own tools look for the adb server, which `auto` means. */
  usualAdbServer: { host: string; port: number };
  /** Whether who borrows a phone of this host may use its shell, and adb. */
  allowShell: boolean;
  /** Whether an Android phone of this host is restarted after each session. */
  restartBetweenSessions: boolean;
  /** The operator's own scrcpy server file; null: fetched when it is needed. */
  scrcpyServer: string | null;
  /** px (0: the screen's own), frames per second, bits per second. */
  androidScreen: { maxSize: number; maxFps: number; bitRate: number };
  databaseUrl: string | null;
  /** The bus of a fleet; null: all roles are in this process. */
  natsUrl: string | null;
  natsCaFile: string | null;
  /** Who this host is, where it runs apart. */
  hostCredential: HostCredential | null;
  ingestPort: number;
  /** Where hosts reach it; null: this machine's own name, with the port that was bound. */
  ingestUrl: string | null;
  appsDir: string;
  quotaMinutes: number | null;
  maxSessions: number | null;
  maxDurationMinutes: number;
  maxDevicesPerHost: number;
  /** Of a key that is created by a key that came of signing in. */
  maxKeyLifetimeMs: number;
  maxAppBytes: number;
  /** Disk space for the apps of a new account, bytes; null: unlimited. */
  maxAppStorageBytes: number | null;
  /** Disk space that uploads leave free. */
  diskReserveBytes: number;
  idleTimeoutMs: number;
  /** Requests a minute; null: any number. */
  requestRates: RequestRates;
  /** Time between SIGTERM and closing. */
  drainMs: number;
  /** How long the audit trail is kept. */
  auditDays: number;
  /** How many entries it keeps. */
  auditMaxEntries: number;
  /** WebSockets of one account. */
  maxSockets: number;
  /** Of one address, to this process. */
  maxConnections: number;
  /** Whether webhooks may go to addresses that are not of the public Internet. */
  webhooksPrivateNetworks: boolean;
  /** An agent on /mcp that asks nothing for so long is gone. */
  mcpIdleMs: number;
  /** Where /mcp reaches a control gateway; null: in this process, or at the public address. */
  mcpControlUrl: string | null;
  /** What /metrics wants from whoever reads it; null: only this machine may. */
  metricsKey: string | null;
  /** Where traces go; null: nowhere. */
  tracesUrl: string | null;
  logLevel: string;
  /** The PATH, on which programs such as adb are found. */
  path: string;
}

export type Flags = Partial<Record<SettingName, string>>;

/**
 * The only reader of the environment. Flags win.
 * @throws ConfigError for the first setting that cannot be used.
 */
export function readConfig(flags: Flags = {}, variables: NodeJS.ProcessEnv = process.env): Config {
  const environment = withoutServiceLinks(variables);
  rejectUnknown(environment);
  const values = Object.fromEntries(
    Object.entries(SETTINGS).map(([name, setting]) => {
      const text = flags[name as SettingName] ?? (environment[name] || undefined);
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
      `must have another host name than the stream host; both are ${streamHost}`,
    );
  }
  return {
    dataDir: v.PHONEBOOTH_DATA_DIR,
    host: v.PHONEBOOTH_HOST,
    port: v.PHONEBOOTH_PORT,
    tlsPort: v.PHONEBOOTH_TLS_PORT,
    tlsFiles: tlsFilesOf(v),
    streamUrl: v.PHONEBOOTH_STREAM_URL,
    controlUrl: v.PHONEBOOTH_CONTROL_URL,
    allowedOrigins: v.PHONEBOOTH_ALLOWED_ORIGINS,
    trustedProxies: v.PHONEBOOTH_TRUSTED_PROXIES,
    apiKey: v.PHONEBOOTH_API_KEY,
    signIn: toSignIn(v),
    simulatedPhones: v.PHONEBOOTH_SIMULATED_PHONES,
    adb: v.PHONEBOOTH_ADB,
    usualAdbServer: v.PHONEBOOTH_ADB === 'auto' ? usualAdbServer(environment) : USUAL_ADB_SERVER,
    allowShell: v.PHONEBOOTH_ALLOW_SHELL,
    restartBetweenSessions: v.PHONEBOOTH_RESTART_BETWEEN_SESSIONS,
    scrcpyServer: v.PHONEBOOTH_SCRCPY_SERVER,
    androidScreen: {
      maxSize: v.PHONEBOOTH_ANDROID_MAX_SIZE,
      maxFps: v.PHONEBOOTH_ANDROID_MAX_FPS,
      bitRate: v.PHONEBOOTH_ANDROID_BIT_RATE,
    },
    databaseUrl: v.PHONEBOOTH_DATABASE_URL,
    natsUrl: v.PHONEBOOTH_NATS_URL,
    natsCaFile: v.PHONEBOOTH_NATS_CA,
    hostCredential: v.PHONEBOOTH_HOST_CREDENTIAL,
    ingestPort: v.PHONEBOOTH_INGEST_PORT,
    ingestUrl: v.PHONEBOOTH_INGEST_URL,
    appsDir: v.PHONEBOOTH_APPS_DIR ?? dataFiles(v.PHONEBOOTH_DATA_DIR).apps,
    ...limitsOf(v),
    requestRates: toRates(v),
    drainMs:
      (v.PHONEBOOTH_DRAIN_SECONDS ?? (v.PHONEBOOTH_NATS_URL === null ? 0 : FLEET_DRAIN_SECONDS)) * 1000,
    ...{ auditDays: v.PHONEBOOTH_AUDIT_DAYS, auditMaxEntries: v.PHONEBOOTH_AUDIT_MAX_ENTRIES },
    maxSockets: v.PHONEBOOTH_MAX_SOCKETS,
    maxConnections: v.PHONEBOOTH_MAX_CONNECTIONS,
    webhooksPrivateNetworks: v.PHONEBOOTH_WEBHOOKS_PRIVATE_NETWORKS,
    mcpIdleMs: v.PHONEBOOTH_MCP_IDLE_TIMEOUT * 1000,
    mcpControlUrl: v.PHONEBOOTH_MCP_CONTROL_URL,
    metricsKey: v.PHONEBOOTH_METRICS_KEY,
    tracesUrl: v.PHONEBOOTH_TRACES_URL,
    logLevel: v.PHONEBOOTH_LOG_LEVEL,
    path: environment.PATH ?? '',
  };
}

const toRates = (v: SettingValues): RequestRates => ({
  key: v.PHONEBOOTH_RATE_LIMIT,
  connect: v.PHONEBOOTH_RATE_LIMIT_CONNECT,
  address: v.PHONEBOOTH_RATE_LIMIT_ADDRESS,
  failed: v.PHONEBOOTH_RATE_LIMIT_FAILED_KEYS,
});

/** What accounts, sessions, keys and uploads are limited to. */
const limitsOf = (v: SettingValues) => ({
  quotaMinutes: v.PHONEBOOTH_QUOTA_MINUTES,
  maxSessions: v.PHONEBOOTH_MAX_SESSIONS,
  maxDurationMinutes: v.PHONEBOOTH_MAX_DURATION,
  maxKeyLifetimeMs: v.PHONEBOOTH_KEY_MAX_DAYS * 86_400_000,
  maxDevicesPerHost: v.PHONEBOOTH_MAX_DEVICES_PER_HOST,
  maxAppBytes: v.PHONEBOOTH_MAX_APP_SIZE * 1024 * 1024,
  maxAppStorageBytes: v.PHONEBOOTH_MAX_APP_STORAGE,
  diskReserveBytes: v.PHONEBOOTH_DISK_RESERVE * 1024 * 1024,
  idleTimeoutMs: v.PHONEBOOTH_IDLE_TIMEOUT * 1000,
});

const SIGN_IN_NEEDS = [
  'PHONEBOOTH_OIDC_ISSUER',
  'PHONEBOOTH_OIDC_CLIENT_ID',
  'PHONEBOOTH_OIDC_GROUPS',
  'PHONEBOOTH_PUBLIC_URL',
] as const;
/** Those that mean nothing without the others. */
const SIGN_IN_SETTINGS = [
  'PHONEBOOTH_OIDC_ISSUER',
  'PHONEBOOTH_OIDC_CLIENT_ID',
  'PHONEBOOTH_OIDC_CLIENT_SECRET',
  'PHONEBOOTH_OIDC_GROUPS',
  'PHONEBOOTH_OIDC_NAME',
] as const;

/** What signing in needs is there, or none of it. */
function toSignIn(v: SettingValues): SignInSettings | null {
  const given = SIGN_IN_SETTINGS.find((name) => v[name] !== null);
  if (!given) return null;
  const missing = SIGN_IN_NEEDS.find((name) => v[name] === null);
  if (missing) throw new ConfigError(missing, `is needed beside ${given}`);
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
  /** Of the service, without the version. */
  url: string;
  apiKey: string;
  /** What `phonebooth run` tells the command that it runs. */
  sessionId: string | null;
}

/**
 * What the commands that use phones work with. A service on this machine is used with the key in its data folder.
 * @throws ConfigError
 */
export async function readClientConfig(
  flags: { url?: string },
  variables: NodeJS.ProcessEnv = process.env,
): Promise<ClientConfig> {
  const environment = withoutServiceLinks(variables);
  rejectUnknown(environment);
  const url = flags.url ?? environment.PHONEBOOTH_URL ?? 'http://localhost:7100';
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new ConfigError('PHONEBOOTH_URL', 'must be a URL such as https://phones.example.com');
  const sessionId = environment.PHONEBOOTH_SESSION_ID || null;
  const apiKey = environment.PHONEBOOTH_API_KEY || (await keyOfDataFolder(environment));
  return { url, apiKey, sessionId };
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

/** Of the commands that use phones, and told to what `phonebooth run` runs. */
const CLIENT_VARIABLES = ['URL', 'SESSION_ID', 'DEVICE_ID', 'SESSION_STREAM_URL', 'SESSION_CONTROL_URL'].map(
  (name) => `PHONEBOOTH_${name}`,
);

/** Names of the variables that Kubernetes sets in each pod for each Service, after the name of the Service. */
const SERVICE_LINK =
  /_(SERVICE_HOST|SERVICE_PORT(_[A-Z0-9_]+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$/;
/** Its variable `<NAME>_PORT` has a URL as its value. A Service named `phonebooth` has it in common with a setting. */
const SERVICE_LINK_URL = /^(tcp|udp|sctp):\/\//;

function tlsFilesOf(v: SettingValues): Config['tlsFiles'] {
  const cert = v.PHONEBOOTH_TLS_CERT;
  const key = v.PHONEBOOTH_TLS_KEY;
  if (cert && !key) throw new ConfigError('PHONEBOOTH_TLS_KEY', 'is needed beside PHONEBOOTH_TLS_CERT');
  if (key && !cert) throw new ConfigError('PHONEBOOTH_TLS_CERT', 'is needed beside PHONEBOOTH_TLS_KEY');
  return cert && key ? { cert, key } : null;
}

/**
 * Where adb looks for its server: ADB_SERVER_SOCKET comes before ANDROID_ADB_SERVER_ADDRESS and ANDROID_ADB_SERVER_PORT.
 * Source: AOSP adb/client/commandline.cpp, adb_commandline().
 * @throws ConfigError for a variable that adb would not take either, or that does not name a port.
 */
function usualAdbServer(environment: NodeJS.ProcessEnv): { host: string; port: number } {
  const portOf = (name: string, text: string) => {
    if (/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535) return Number(text);
    throw new ConfigError(name, `must name a port from 1 to 65535, not ${JSON.stringify(text)}`);
  };
  const socket = environment.ADB_SERVER_SOCKET;
  if (socket) {
    const [, host = '127.0.0.1', port] = /^tcp:(?:(.+):)?(\d+)$/.exec(socket) ?? [];
    if (port !== undefined)
      return { host: host.replaceAll(/[[\]]/g, ''), port: portOf('ADB_SERVER_SOCKET', port) };
    throw new ConfigError(
      'ADB_SERVER_SOCKET',
      'must be tcp:port or tcp:host:port; set PHONEBOOTH_ADB to host:port, or to off, to ignore it',
    );
  }
  return {
    host: environment.ANDROID_ADB_SERVER_ADDRESS || USUAL_ADB_SERVER.host,
    port: portOf(
      'ANDROID_ADB_SERVER_PORT',
      environment.ANDROID_ADB_SERVER_PORT || String(USUAL_ADB_SERVER.port),
    ),
  };
}

/**
 * The environment without Kubernetes' variables for Services whose names begin with `phonebooth`.
 * https://kubernetes.io/docs/concepts/services-networking/service/#environment-variables
 */
function withoutServiceLinks(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isLink = ([name, value]: [string, string | undefined]) =>
    SERVICE_LINK.test(name) || (name.endsWith('_PORT') && SERVICE_LINK_URL.test(value ?? ''));
  const entries = Object.entries(environment);
  return Object.fromEntries(entries.filter((entry) => !entry[0].startsWith('PHONEBOOTH') || !isLink(entry)));
}

/** A misspelt variable is rejected: ignoring it would leave a default in force. */
function rejectUnknown(environment: NodeJS.ProcessEnv): void {
  const unknown = Object.keys(environment).find(
    (name) => name.startsWith('PHONEBOOTH_') && !(name in SETTINGS) && !CLIENT_VARIABLES.includes(name),
  );
  if (unknown)
    throw new ConfigError(unknown, `is not a setting. The settings are ${Object.keys(SETTINGS).join(', ')}.`);
}
