import { resolve } from 'node:path';
import { MAX_ARTIFACT_DAYS } from '../contract/http/account.ts';
import { HIGHEST_MAX_DURATION } from '../contract/http/session.ts';
import { bucketAddress, region } from './bucket-settings.ts';
import { claim, groupRules, issuer, publicUrl, scopes, secretText, visibleText } from './oidc-settings.ts';
import {
  adb,
  address,
  apiKey,
  count,
  databaseUrl,
  daysOrNever,
  drainSeconds,
  hostCredential,
  hostName,
  httpUrl,
  limit,
  logLevel,
  megabytes,
  natsUrl,
  networks,
  onOff,
  optionalPath,
  origins,
  perMinute,
  port,
  scaled,
  socketOrigin,
  wssOrigin,
} from './setting-values.ts';

interface Setting<T> {
  /** The description in `--help`. */
  help: string;
  /** Parses the value; undefined when the setting is absent. Throws an Error that describes valid values. */
  parse: (text: string | undefined) => T;
  /** The field of `Config` that has the parsed value; absent when config.ts combines several settings. */
  config?: string;
  /**
   * A secret has no flag, because every user of the machine can read the command line of a process. Instead it may be
   * in a file, which the variable with the suffix `_FILE` names.
   */
  secret?: true;
  /** The value may contain a password, so that it may be in a file like a secret. */
  holdsPassword?: true;
}

const SECOND_MS = 1000;
const DAY_MS = 86_400_000;
const MEBIBYTE = 1024 * 1024;

/** Every setting by its environment variable. Its flag has the same name: `PHONEBOOTH_TLS_PORT` → `--tls-port`. */
export const SETTINGS = {
  PHONEBOOTH_DATA_DIR: {
    config: 'dataDir',
    help: 'folder of the database, keys and certificates (default ./.phonebooth)',
    parse: (text) => resolve(text ?? './.phonebooth'),
  },
  PHONEBOOTH_HOST: { config: 'host', help: 'address to bind (default 127.0.0.1)', parse: address },
  PHONEBOOTH_PORT: { config: 'port', help: 'HTTP port (default 7100)', parse: port(7100) },
  PHONEBOOTH_TLS_PORT: { config: 'tlsPort', help: 'HTTPS and WSS port (default 7143)', parse: port(7143) },
  PHONEBOOTH_TLS_CERT: {
    help: 'certificate file, PEM (default: created at first start)',
    parse: optionalPath,
  },
  PHONEBOOTH_TLS_KEY: { help: 'private key file of the certificate, PEM', parse: optionalPath },
  PHONEBOOTH_STREAM_URL: {
    config: 'streamUrl',
    help: 'public origin of the stream host (default wss://localhost:<tls port>)',
    parse: wssOrigin,
  },
  PHONEBOOTH_CONTROL_URL: {
    config: 'controlUrl',
    help: 'public origin of the control host (default wss://127.0.0.1:<tls port>)',
    parse: wssOrigin,
  },
  PHONEBOOTH_ALLOWED_ORIGINS: {
    config: 'allowedOrigins',
    help: 'comma-separated origins whose pages may use the API and open the sockets (default: any may open the sockets)',
    parse: origins,
  },
  PHONEBOOTH_TRUSTED_PROXIES: {
    config: 'trustedProxies',
    help: 'comma-separated addresses or networks whose X-Forwarded-For is trusted (default: none)',
    parse: networks,
  },
  PHONEBOOTH_API_KEY: {
    secret: true,
    config: 'apiKey',
    help: 'bootstrap admin key, 32 or more URL-safe characters (default: created at first start)',
    parse: apiKey,
  },
  PHONEBOOTH_SIMULATED_PHONES: {
    config: 'simulatedPhones',
    help: 'simulated phones of this host (default 4)',
    parse: count(4, 0, 100),
  },
  PHONEBOOTH_ADB: {
    config: 'adb',
    help:
      'where to find Android phones: off, auto or host:port of an adb server (default auto: the local adb ' +
      'server)',
    parse: adb,
  },
  PHONEBOOTH_ALLOW_SHELL: {
    config: 'allowShell',
    help: 'on: allow shell and adb on the Android phones of this host (default off)',
    parse: onOff(false),
  },
  PHONEBOOTH_WEBDRIVER_HOST: {
    config: 'webDriverHost',
    help: 'host name at whose root WebDriver clients are served, besides /wd/hub of every name (default: none)',
    parse: hostName,
  },
  PHONEBOOTH_APPIUM: {
    config: 'appium',
    help: 'path of the appium 3 program for WebDriver sessions that ask for a driver of Appium (default: none)',
    parse: optionalPath,
  },
  PHONEBOOTH_RESTART_BETWEEN_SESSIONS: {
    config: 'restartBetweenSessions',
    help: 'on: restart an Android phone of this host after each session (default off)',
    parse: onOff(false),
  },
  PHONEBOOTH_SCRCPY_SERVER: {
    config: 'scrcpyServer',
    help: 'path of the scrcpy-server v3.3.3 file (default: downloaded once, when an Android phone is connected)',
    parse: optionalPath,
  },
  PHONEBOOTH_ANDROID_MAX_SIZE: {
    help: "longer side of an Android phone's video, px; 0: the size of the screen (default 1280)",
    parse: count(1280, 0, 8192),
  },
  PHONEBOOTH_ANDROID_MAX_FPS: {
    help: "maximum frames per second of an Android phone's video (default 60)",
    parse: count(60, 1, 120),
  },
  PHONEBOOTH_ANDROID_BIT_RATE: {
    help: "bits per second of an Android phone's video (default 8000000)",
    parse: count(8_000_000, 100_000, 100_000_000),
  },
  PHONEBOOTH_DATABASE_URL: {
    holdsPassword: true,
    config: 'databaseUrl',
    help: 'postgres://… (default: the embedded store)',
    parse: databaseUrl,
  },
  PHONEBOOTH_NATS_URL: {
    holdsPassword: true,
    config: 'natsUrl',
    help: 'nats://… or tls://…, comma-separated: the message bus of a fleet (default: one process)',
    parse: natsUrl,
  },
  PHONEBOOTH_NATS_CA: {
    config: 'natsCaFile',
    help: 'CA certificate of the NATS server, PEM file',
    parse: optionalPath,
  },
  PHONEBOOTH_HOST_CREDENTIAL: {
    secret: true,
    config: 'hostCredential',
    help: 'credential that phonebooth hosts add printed; required by phonebooth agent',
    parse: hostCredential,
  },
  PHONEBOOTH_INGEST_PORT: {
    config: 'ingestPort',
    help: 'port that the hosts of a fleet connect to (default 7120)',
    parse: port(7120),
  },
  PHONEBOOTH_INGEST_URL: {
    config: 'ingestUrl',
    help: 'origin at which hosts reach that port (default: the name of this machine)',
    parse: wssOrigin,
  },
  PHONEBOOTH_APPS_DIR: {
    help: 'folder of uploaded apps, shared by all api processes (default: apps in the data folder)',
    parse: optionalPath,
  },
  PHONEBOOTH_ARTIFACTS_DIR: {
    help: 'folder of the artifacts of recorded sessions, shared by all api processes (default: artifacts in the data folder)',
    parse: optionalPath,
  },
  PHONEBOOTH_ARTIFACTS_BUCKET: {
    help:
      'bucket for the artifacts instead of that folder, on S3-compatible storage, such as ' +
      'https://s3.eu-central-1.amazonaws.com/bucket/prefix (default: none)',
    parse: bucketAddress,
  },
  PHONEBOOTH_ARTIFACTS_REGION: {
    help: 'region of the bucket (default: the one in its host name, or us-east-1)',
    parse: region,
  },
  PHONEBOOTH_ARTIFACTS_ACCESS_KEY: {
    secret: true,
    help: 'access key id for the bucket',
    parse: secretText,
  },
  PHONEBOOTH_ARTIFACTS_SECRET_KEY: {
    secret: true,
    help: 'secret access key for the bucket',
    parse: secretText,
  },
  PHONEBOOTH_PUBLIC_URL: {
    help: 'origin of the console, such as https://phones.example.com, for sign-in',
    parse: publicUrl,
  },
  PHONEBOOTH_OIDC_ISSUER: {
    help: 'issuer URL of the OpenID Connect identity provider for the console (default: none)',
    parse: issuer,
  },
  PHONEBOOTH_OIDC_CLIENT_ID: {
    help: 'client id of this service at the identity provider',
    parse: visibleText,
  },
  PHONEBOOTH_OIDC_CLIENT_SECRET: {
    secret: true,
    help: 'client secret of this service at the identity provider (default: a public client)',
    parse: secretText,
  },
  PHONEBOOTH_OIDC_GROUPS: {
    help:
      'accounts and roles by group: group=account:role, comma-separated; the first match applies, * ' +
      'matches everyone',
    parse: groupRules,
  },
  PHONEBOOTH_OIDC_GROUPS_CLAIM: {
    help: 'claim that contains the groups of a user (default groups)',
    parse: claim('groups'),
  },
  PHONEBOOTH_OIDC_SCOPES: {
    help: 'scopes to request, including openid (default openid profile email)',
    parse: scopes,
  },
  PHONEBOOTH_OIDC_NAME: {
    help: 'name of the identity provider on the sign-in page (default: its host name)',
    parse: visibleText,
  },
  PHONEBOOTH_OIDC_KEY_HOURS: {
    help: 'hours until a sign-in expires (default 12)',
    parse: count(12, 1, 720),
  },
  PHONEBOOTH_KEY_MAX_DAYS: {
    config: 'maxKeyLifetimeMs',
    help: 'longest lifetime of a key that is created while signed in, days (default 90; 0: it ends with the sign-in)',
    parse: scaled(count(90, 0, 3650), DAY_MS),
  },
  PHONEBOOTH_QUOTA_MINUTES: {
    config: 'quotaMinutes',
    help: 'monthly device-minutes of a new account (default unlimited)',
    parse: limit,
  },
  PHONEBOOTH_MAX_SESSIONS: {
    config: 'maxSessions',
    help: 'concurrent sessions of a new account (default unlimited)',
    parse: limit,
  },
  PHONEBOOTH_MAX_DURATION: {
    config: 'maxDurationMinutes',
    help: 'largest duration of a session, minutes (default 480)',
    parse: count(480, 1, HIGHEST_MAX_DURATION),
  },
  PHONEBOOTH_MAX_DEVICES_PER_HOST: {
    config: 'maxDevicesPerHost',
    help: 'devices of one host (default 1000)',
    parse: count(1_000, 1, 100_000),
  },
  PHONEBOOTH_MAX_APP_SIZE: {
    config: 'maxAppBytes',
    help: 'largest app that may be uploaded, MB (default 2048)',
    parse: scaled(count(2048, 1, 1_000_000), MEBIBYTE),
  },
  PHONEBOOTH_MAX_APP_STORAGE: {
    config: 'maxAppStorageBytes',
    help: 'disk space for the apps of a new account, MB, or unlimited (default 20480)',
    parse: megabytes(20_480),
  },
  PHONEBOOTH_MAX_ARTIFACT_STORAGE: {
    config: 'maxArtifactBytes',
    help: 'space for the artifacts of a new account, MB, or unlimited (default 20480)',
    parse: megabytes(20_480),
  },
  PHONEBOOTH_ARTIFACT_DAYS: {
    config: 'artifactDays',
    help: 'days after which artifacts of a new account are deleted; 0: never (default 30)',
    parse: daysOrNever(30, MAX_ARTIFACT_DAYS),
  },
  PHONEBOOTH_MAX_FILE_SIZE: {
    config: 'maxFileBytes',
    help: 'largest file that may be pushed to a phone, MB (default 2048)',
    parse: scaled(count(2048, 1, 1_000_000), MEBIBYTE),
  },
  PHONEBOOTH_MAX_RECORDING_STORAGE: {
    config: 'maxRecordingBytes',
    help: 'disk space of a host for recordings that are not uploaded yet, MB (default 20480)',
    parse: scaled(count(20_480, 0, 1_000_000_000), MEBIBYTE),
  },
  PHONEBOOTH_DISK_RESERVE: {
    config: 'diskReserveBytes',
    help: 'disk space that uploads and recordings must leave free, MB (default 1024)',
    parse: scaled(count(1024, 0, 1_000_000_000), MEBIBYTE),
  },
  PHONEBOOTH_IDLE_TIMEOUT: {
    config: 'idleTimeoutMs',
    help: 'seconds without a viewer or control client until a session ends (default 0: off)',
    parse: scaled(count(0, 0, 86_400), SECOND_MS),
  },
  PHONEBOOTH_RATE_LIMIT: {
    help: 'requests a minute of one key, or unlimited (default 60000)',
    parse: perMinute(60_000),
  },
  PHONEBOOTH_RATE_LIMIT_CONNECT: {
    help: 'borrow requests a minute of one key, or unlimited (default 30000)',
    parse: perMinute(30_000),
  },
  PHONEBOOTH_RATE_LIMIT_ADDRESS: {
    help: 'requests a minute from one address, or unlimited (default 120000)',
    parse: perMinute(120_000),
  },
  PHONEBOOTH_RATE_LIMIT_FAILED_KEYS: {
    help: 'requests a minute from one address without a valid key, or unlimited (default 600)',
    parse: perMinute(600),
  },
  PHONEBOOTH_MAX_SOCKETS: {
    config: 'maxSockets',
    help: 'open WebSockets of one account (default 1000)',
    parse: count(1_000, 1, 100_000),
  },
  PHONEBOOTH_MAX_CONNECTIONS: {
    config: 'maxConnections',
    help: 'open connections of one address to this process (default 10000)',
    parse: count(10_000, 10, 1_000_000),
  },
  PHONEBOOTH_DRAIN_SECONDS: {
    help:
      'seconds between SIGTERM and shutdown, during which load balancers notice (default 5 in a fleet, 0 ' +
      'in one process)',
    parse: drainSeconds,
  },
  PHONEBOOTH_AUDIT_DAYS: {
    config: 'auditDays',
    help: 'days that audit events are kept (default 400)',
    parse: count(400, 1, 36_500),
  },
  PHONEBOOTH_AUDIT_MAX_ENTRIES: {
    config: 'auditMaxEntries',
    help:
      'number of audit events that are kept; beyond it, the oldest of the accounts with the most are ' +
      'deleted (default 1000000)',
    parse: count(1_000_000, 1_000, 100_000_000),
  },
  PHONEBOOTH_WEBHOOKS_PRIVATE_NETWORKS: {
    config: 'webhooksPrivateNetworks',
    help: 'on: webhooks may be sent to addresses that are not on the public Internet (default off)',
    parse: onOff(false),
  },
  PHONEBOOTH_MCP_IDLE_TIMEOUT: {
    config: 'mcpIdleMs',
    help: 'seconds without a call until the sessions of an AI agent on /mcp end (default 600)',
    parse: scaled(count(600, 1, 86_400), SECOND_MS),
  },
  PHONEBOOTH_MCP_CONTROL_URL: {
    config: 'mcpControlUrl',
    help: 'origin at which /mcp reaches a control gateway (default: this process, or else the public origin)',
    parse: socketOrigin,
  },
  PHONEBOOTH_METRICS_KEY: {
    secret: true,
    config: 'metricsKey',
    help: 'bearer token required for /metrics (default: none; only this machine can read it)',
    parse: apiKey,
  },
  PHONEBOOTH_TRACES_URL: {
    help: 'OTLP/HTTP endpoint that receives traces, such as http://collector:4318/v1/traces (default: OTEL_* variables)',
    parse: httpUrl,
  },
  PHONEBOOTH_LOG_LEVEL: {
    config: 'logLevel',
    help: 'debug, info, warn or error (default warn)',
    parse: logLevel,
  },
} as const satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof SETTINGS;
export type SettingValues = { [N in SettingName]: ReturnType<(typeof SETTINGS)[N]['parse']> };

type FieldOf<N extends SettingName> = (typeof SETTINGS)[N] extends { config: infer Field extends string }
  ? Field
  : never;
/** The fields of `Config` that each have the value of one setting. */
export type SettingFields = { [N in SettingName as FieldOf<N>]: SettingValues[N] };

export function fieldsOf(values: SettingValues): SettingFields {
  const fields = Object.entries<Setting<unknown>>(SETTINGS).flatMap(([name, { config }]) =>
    config === undefined ? [] : [[config, values[name as SettingName]]],
  );
  return Object.fromEntries(fields) as SettingFields;
}

export const isSecret = (name: SettingName): boolean => 'secret' in SETTINGS[name];

/** Whether the value may be in a file, which the variable with the suffix `_FILE` names. */
export const mayBeInFile = (name: SettingName): boolean =>
  isSecret(name) || 'holdsPassword' in SETTINGS[name];

/** Whether the environment variable names a file with the value of a setting: `PHONEBOOTH_API_KEY_FILE`. */
export const isFileVariable = (name: string): boolean => {
  const setting = name.replace(/_FILE$/, '');
  return setting !== name && setting in SETTINGS && mayBeInFile(setting as SettingName);
};
