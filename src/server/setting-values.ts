import { isIP } from 'node:net';
import { resolve } from 'node:path';

/**
 * Parsers for the values of settings. Each accepts undefined when the setting is absent, and throws an Error that
 * describes valid values.
 */

/** `auto`: the adb server of this machine, which is started if the adb program is installed. */
export type AdbSetting = 'off' | 'auto' | { host: string; port: number };

export function address(text: string | undefined): string {
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

export function count(initial: number, minimum: number, maximum: number) {
  return (text: string | undefined) => (text === undefined ? initial : wholeNumber(text, minimum, maximum));
}

/** Parses a number of days; 0 means never, which is null. */
export const daysOrNever = (initial: number, maximum: number) => (text: string | undefined) =>
  (text === undefined ? initial : wholeNumber(text, 0, maximum)) || null;

/** Converts a number to another unit. */
export const scaled =
  (parse: (text: string | undefined) => number, factor: number) => (text: string | undefined) =>
    parse(text) * factor;

/** Returns null when the setting is absent, because the default depends on other settings. */
export const drainSeconds = (text: string | undefined) =>
  text === undefined ? null : wholeNumber(text, 0, 300);

export function onOff(initial: boolean) {
  return (text: string | undefined) => {
    if (text === undefined) return initial;
    if (text !== 'on' && text !== 'off') throw new Error('must be on or off');
    return text === 'on';
  };
}

export function port(initial: number) {
  return (text: string | undefined) => (text === undefined ? initial : wholeNumber(text, 0, 65_535));
}

export function adb(text: string | undefined): AdbSetting {
  if (text === undefined || text === 'auto') return 'auto';
  if (text === 'off') return 'off';
  const [, host, digits] = /^(\[[\da-f:.]+\]|[\w.-]+):(\d{1,5})$/i.exec(text) ?? [];
  const number = Number(digits);
  if (!host || number < 1 || number > 65_535) {
    throw new Error('must be off, auto, or an address such as 127.0.0.1:5037');
  }
  return { host: host.replaceAll(/[[\]]/g, ''), port: number };
}

export function limit(text: string | undefined): number | null {
  if (text === undefined || text === 'unlimited') return null;
  return wholeNumber(text, 0, 1_000_000_000);
}

/** Parses a rate per minute; null: unlimited. */
export function perMinute(initial: number) {
  return (text: string | undefined) => {
    if (text === undefined) return initial;
    return text === 'unlimited' ? null : wholeNumber(text, 1, 100_000_000);
  };
}

/** Parses megabytes and returns bytes; null: unlimited. */
export function megabytes(initial: number) {
  return (text: string | undefined) => {
    if (text === 'unlimited') return null;
    return (text === undefined ? initial : wholeNumber(text, 0, 1_000_000_000)) * 1024 * 1024;
  };
}

export function optionalPath(text: string | undefined): string | null {
  return text === undefined ? null : resolve(text);
}

/** A host name without a port, in lower case. */
export function hostName(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (/^[a-z\d]([a-z\d.-]{0,251}[a-z\d])?$/i.test(text)) return text.toLowerCase();
  throw new Error('must be a host name such as webdriver.example.com');
}

export function wssOrigin(text: string | undefined): string | null {
  if (text === undefined) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'wss:' || url.pathname !== '/' || url.search || url.username) {
    throw new Error('must be an origin such as wss://stream.example.com');
  }
  return `wss://${url.host}`;
}

/** TLS is optional, because the origin may be inside a private network. */
export function socketOrigin(text: string | undefined): string | null {
  if (text === undefined) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^wss?:$/.test(url.protocol) || url.pathname !== '/' || url.search || url.username) {
    throw new Error('must be an origin such as ws://control:7100 or wss://control.example.com');
  }
  return `${url.protocol}//${url.host}`;
}

export function httpUrl(text: string | undefined): string | null {
  if (text === undefined) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw new Error('must be a URL such as http://collector:4318/v1/traces, without a password');
  }
  return url.pathname === '/' ? `${url.origin}/v1/traces` : url.href;
}

export function origins(text: string | undefined): string[] | null {
  if (text === undefined) return null;
  return text.split(',').map((entry) => {
    const trimmed = entry.trim();
    if (!URL.canParse(trimmed) || new URL(trimmed).origin !== trimmed) {
      throw new Error('must be origins such as https://console.example.com, separated by commas');
    }
    return trimmed;
  });
}

export function networks(text: string | undefined): string[] {
  if (text === undefined) return [];
  return text.split(',').map((entry) => {
    const [address = '', bits, ...more] = entry.trim().split('/');
    const most = isIP(address) === 6 ? 128 : 32;
    const isNetwork = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
    if (isIP(address) === 0 || !isNetwork || more.length > 0) {
      throw new Error('must be addresses or networks such as 10.0.0.0/8, separated by commas');
    }
    return entry.trim();
  });
}

/** The value is a secret: messages must not contain it. */
export function apiKey(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (!/^[A-Za-z0-9_-]{32,200}$/.test(text)) {
    throw new Error('must be 32 to 200 characters of A-Z, a-z, 0-9, - and _');
  }
  return text;
}

/** The value may contain a password: messages must not contain it. */
export function databaseUrl(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (!URL.canParse(text) || !/^postgres(ql)?:$/.test(new URL(text).protocol)) {
    throw new Error('must be a URL such as postgres://user:password@host/database');
  }
  return text;
}

export function logLevel(text: string | undefined): string {
  const value = text ?? 'warn';
  if (!['debug', 'info', 'warn', 'error'].includes(value))
    throw new Error('must be debug, info, warn or error');
  return value;
}

/** One server, or several of one cluster. Clients authenticate with keys, so the address contains no secret. */
export function natsUrl(text: string | undefined): string | null {
  if (text === undefined) return null;
  const urls = text.split(',').map((entry) => entry.trim());
  const right = (url: string) => URL.canParse(url) && /^(nats|tls):$/.test(new URL(url).protocol);
  if (!urls.every(right) || urls.some((url) => new URL(url).username || new URL(url).password)) {
    throw new Error(
      'must be URLs such as nats://nats.example.com:4222, separated by commas, without a password',
    );
  }
  return urls.join(',');
}

export interface HostCredential {
  hostId: string;
  /** Secret: the NATS seed with which the host authenticates. */
  seed: string;
}

/** The value is a secret: messages must not contain it. */
export function hostCredential(text: string | undefined): HostCredential | null {
  if (text === undefined) return null;
  const [, hostId, seed] = /^([\w-]{1,64})\.(SU[A-Z2-7]{56})$/.exec(text) ?? [];
  if (!hostId || !seed) throw new Error('must be a credential that phonebooth hosts add printed');
  return { hostId, seed };
}
