import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { HIGHEST_MAX_DURATION } from '../contract/session.ts';

/** A setting that cannot be used: one line naming it and saying what would be right. */
export class ConfigError extends Error {
  constructor(setting: string, message: string) {
    super(`${setting}: ${message}`);
    this.name = 'ConfigError';
  }
}

interface Setting<T> {
  /** What `--help` says of it. */
  help: string;
  /** undefined: the setting is absent. Throws an Error saying what would be right. */
  parse: (text: string | undefined) => T;
}

/** Every setting, by its environment variable. Its flag is the same name, `PHONEBOOTH_TLS_PORT` → `--tls-port`. */
export const SETTINGS = {
  PHONEBOOTH_DATA_DIR: {
    help: 'folder of the database, keys and certificates (default ./.phonebooth)',
    parse: (text) => resolve(text ?? './.phonebooth'),
  },
  PHONEBOOTH_HOST: { help: 'address to bind (default 127.0.0.1)', parse: address },
  PHONEBOOTH_PORT: { help: 'HTTP port (default 7100)', parse: port(7100) },
  PHONEBOOTH_TLS_PORT: { help: 'HTTPS and WSS port (default 7143)', parse: port(7143) },
  PHONEBOOTH_TLS_CERT: { help: 'certificate file, PEM (default: made at first start)', parse: optionalPath },
  PHONEBOOTH_TLS_KEY: { help: 'private key file of the certificate, PEM', parse: optionalPath },
  PHONEBOOTH_STREAM_URL: {
    help: 'public origin of the stream host (default wss://localhost:<tls port>)',
    parse: wssOrigin,
  },
  PHONEBOOTH_CONTROL_URL: {
    help: 'public origin of the control host (default wss://127.0.0.1:<tls port>)',
    parse: wssOrigin,
  },
  PHONEBOOTH_ALLOWED_ORIGINS: {
    help: 'comma-separated origins whose pages may open the sockets (default: any)',
    parse: origins,
  },
  PHONEBOOTH_API_KEY: {
    help: 'bootstrap admin key, 32 or more URL-safe characters (default: made at first start)',
    parse: apiKey,
  },
  PHONEBOOTH_SIMULATED_PHONES: { help: 'simulated phones of this host (default 4)', parse: count(4, 0, 100) },
  PHONEBOOTH_ADB: {
    help: 'where Android phones are found: off, auto or host:port of an adb server (default auto)',
    parse: adb,
  },
  PHONEBOOTH_SCRCPY_SERVER: {
    help: 'scrcpy-server v3.3.3, a file (default: fetched once, when an Android phone is there)',
    parse: optionalPath,
  },
  PHONEBOOTH_ANDROID_MAX_SIZE: {
    help: "longer side of an Android phone's picture, px; 0: the screen's own (default 1280)",
    parse: count(1280, 0, 8192),
  },
  PHONEBOOTH_ANDROID_MAX_FPS: {
    help: "frames per second of an Android phone's picture (default 60)",
    parse: count(60, 1, 120),
  },
  PHONEBOOTH_ANDROID_BIT_RATE: {
    help: "bits per second of an Android phone's picture (default 8000000)",
    parse: count(8_000_000, 100_000, 100_000_000),
  },
  PHONEBOOTH_DATABASE_URL: { help: 'postgres://… (default: the embedded store)', parse: databaseUrl },
  PHONEBOOTH_QUOTA_MINUTES: {
    help: 'monthly device-minutes of a new account (default unlimited)',
    parse: limit,
  },
  PHONEBOOTH_MAX_SESSIONS: { help: 'concurrent sessions of a new account (default unlimited)', parse: limit },
  PHONEBOOTH_MAX_DURATION: {
    help: 'largest duration of a session, minutes (default 480)',
    parse: count(480, 1, HIGHEST_MAX_DURATION),
  },
  PHONEBOOTH_MAX_APP_SIZE: {
    help: 'largest app that may be uploaded, MB (default 2048)',
    parse: count(2048, 1, 1_000_000),
  },
  PHONEBOOTH_IDLE_TIMEOUT: {
    help: 'seconds without viewer and control client before a session ends (default 0: off)',
    parse: count(0, 0, 86_400),
  },
  PHONEBOOTH_LOG_LEVEL: { help: 'debug, info, warn or error (default warn)', parse: logLevel },
} satisfies Record<string, Setting<unknown>>;

export type SettingName = keyof typeof SETTINGS;
type Values = { [N in SettingName]: ReturnType<(typeof SETTINGS)[N]['parse']> };

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
  apiKey: string | null;
  simulatedPhones: number;
  adb: AdbSetting;
  /** The operator's own scrcpy server file; null: fetched when it is needed. */
  scrcpyServer: string | null;
  /** px (0: the screen's own), frames per second, bits per second. */
  androidScreen: { maxSize: number; maxFps: number; bitRate: number };
  databaseUrl: string | null;
  quotaMinutes: number | null;
  maxSessions: number | null;
  maxDurationMinutes: number;
  maxAppBytes: number;
  idleTimeoutMs: number;
  logLevel: string;
  /** The PATH, on which programs such as adb are found. */
  path: string;
}

/** `auto`: the adb server of this machine, started when the adb program is there. */
export type AdbSetting = 'off' | 'auto' | { host: string; port: number };

export type Flags = Partial<Record<SettingName, string>>;

/**
 * The only reader of the environment. Flags win.
 * @throws ConfigError for the first setting that cannot be used.
 */
export function readConfig(flags: Flags = {}, environment: NodeJS.ProcessEnv = process.env): Config {
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
  ) as Values;
  return toConfig(values, environment.PATH ?? '');
}

function toConfig(v: Values, path: string): Config {
  const cert = v.PHONEBOOTH_TLS_CERT;
  const key = v.PHONEBOOTH_TLS_KEY;
  if (cert && !key) throw new ConfigError('PHONEBOOTH_TLS_KEY', 'is needed beside PHONEBOOTH_TLS_CERT');
  if (key && !cert) throw new ConfigError('PHONEBOOTH_TLS_CERT', 'is needed beside PHONEBOOTH_TLS_KEY');
  const streamHost = new URL(v.PHONEBOOTH_STREAM_URL ?? 'wss://localhost').hostname;
  const controlHost = new URL(v.PHONEBOOTH_CONTROL_URL ?? 'wss://127.0.0.1').hostname;
  if (streamHost === controlHost) {
    throw new ConfigError(
      'PHONEBOOTH_CONTROL_URL',
      `its host name must differ from the stream's, and both are ${streamHost}`,
    );
  }
  return {
    dataDir: v.PHONEBOOTH_DATA_DIR,
    host: v.PHONEBOOTH_HOST,
    port: v.PHONEBOOTH_PORT,
    tlsPort: v.PHONEBOOTH_TLS_PORT,
    tlsFiles: cert && key ? { cert, key } : null,
    streamUrl: v.PHONEBOOTH_STREAM_URL,
    controlUrl: v.PHONEBOOTH_CONTROL_URL,
    allowedOrigins: v.PHONEBOOTH_ALLOWED_ORIGINS,
    apiKey: v.PHONEBOOTH_API_KEY,
    simulatedPhones: v.PHONEBOOTH_SIMULATED_PHONES,
    adb: v.PHONEBOOTH_ADB,
    scrcpyServer: v.PHONEBOOTH_SCRCPY_SERVER,
    androidScreen: {
      maxSize: v.PHONEBOOTH_ANDROID_MAX_SIZE,
      maxFps: v.PHONEBOOTH_ANDROID_MAX_FPS,
      bitRate: v.PHONEBOOTH_ANDROID_BIT_RATE,
    },
    databaseUrl: v.PHONEBOOTH_DATABASE_URL,
    quotaMinutes: v.PHONEBOOTH_QUOTA_MINUTES,
    maxSessions: v.PHONEBOOTH_MAX_SESSIONS,
    maxDurationMinutes: v.PHONEBOOTH_MAX_DURATION,
    maxAppBytes: v.PHONEBOOTH_MAX_APP_SIZE * 1024 * 1024,
    idleTimeoutMs: v.PHONEBOOTH_IDLE_TIMEOUT * 1000,
    logLevel: v.PHONEBOOTH_LOG_LEVEL,
    path,
  };
}

/** A misspelt variable must not pass silently: it would leave a default in force. */
function rejectUnknown(environment: NodeJS.ProcessEnv): void {
  const unknown = Object.keys(environment).find(
    (name) => name.startsWith('PHONEBOOTH_') && !(name in SETTINGS),
  );
  if (unknown)
    throw new ConfigError(unknown, `is not a setting; the settings are ${Object.keys(SETTINGS).join(', ')}`);
}

function address(text: string | undefined): string {
  const value = text ?? '127.0.0.1';
  if (value !== 'localhost' && !isIP(value)) throw new Error('must be an IP address or localhost');
  return value;
}

function wholeNumber(text: string, minimum: number, maximum: number): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < minimum || value > maximum) {
    throw new Error(`must be a whole number from ${minimum} to ${maximum}, not ${JSON.stringify(text)}`);
  }
  return value;
}

function count(initial: number, minimum: number, maximum: number) {
  return (text: string | undefined) => (text === undefined ? initial : wholeNumber(text, minimum, maximum));
}

function port(initial: number) {
  return (text: string | undefined) => (text === undefined ? initial : wholeNumber(text, 0, 65_535));
}

function adb(text: string | undefined): AdbSetting {
  if (text === undefined || text === 'auto') return 'auto';
  if (text === 'off') return 'off';
  const [, host, digits] = /^(\[[\da-f:.]+\]|[\w.-]+):(\d{1,5})$/i.exec(text) ?? [];
  const number = Number(digits);
  if (!host || number < 1 || number > 65_535) {
    throw new Error('must be off, auto, or an address such as 127.0.0.1:5037');
  }
  return { host: host.replaceAll(/[[\]]/g, ''), port: number };
}

function limit(text: string | undefined): number | null {
  if (text === undefined || text === 'unlimited') return null;
  return wholeNumber(text, 0, 1_000_000_000);
}

function optionalPath(text: string | undefined): string | null {
  return text === undefined ? null : resolve(text);
}

function wssOrigin(text: string | undefined): string | null {
  if (text === undefined) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'wss:' || url.pathname !== '/' || url.search || url.username) {
    throw new Error('must be an origin such as wss://stream.example.com');
  }
  return `wss://${url.host}`;
}

function origins(text: string | undefined): string[] | null {
  if (text === undefined) return null;
  return text.split(',').map((entry) => {
    const trimmed = entry.trim();
    if (!URL.canParse(trimmed) || new URL(trimmed).origin !== trimmed) {
      throw new Error('must be origins such as https://console.example.com, separated by commas');
    }
    return trimmed;
  });
}

/** The value is a secret: no message repeats it. */
function apiKey(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (!/^[A-Za-z0-9_-]{32,200}$/.test(text)) {
    throw new Error('must be 32 to 200 characters of A-Z, a-z, 0-9, - and _');
  }
  return text;
}

/** The value may hold a password: no message repeats it. */
function databaseUrl(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (!URL.canParse(text) || !/^postgres(ql)?:$/.test(new URL(text).protocol)) {
    throw new Error('must be an address such as postgres://user:password@host/database');
  }
  return text;
}

function logLevel(text: string | undefined): string {
  const value = text ?? 'warn';
  if (!['debug', 'info', 'warn', 'error'].includes(value))
    throw new Error('must be debug, info, warn or error');
  return value;
}
