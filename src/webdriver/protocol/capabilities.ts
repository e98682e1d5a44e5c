import { MAX_WAIT_S } from '../../contract/http/queue.ts';
import { HIGHEST_MAX_DURATION } from '../../contract/http/session.ts';
import { readTimeouts } from '../commands/device.ts';
import type { SessionState } from '../phone.ts';
import { appiumCapabilities } from './appium-capabilities.ts';
import { invalidArgument, WebDriverError } from './errors.ts';
import {
  isObject,
  type JsonObject,
  optional,
  readArray,
  readBoolean,
  readInteger,
  readObject,
  readString,
} from './values.ts';

/** The standard capabilities of W3C WebDriver (section 7), and whether a phone without a browser has them. */
const STANDARD: Readonly<Record<string, (value: unknown) => boolean>> = {
  platformName: (value) => typeof value === 'string' && value.toLowerCase() === 'android',
  browserName: (value) => value === '',
  browserVersion: (value) => value === '',
  acceptInsecureCerts: (value) => value === false,
  pageLoadStrategy: () => true,
  proxy: (value) => isObject(value) && Object.keys(value).length === 0,
  setWindowRect: (value) => value === false,
  timeouts: () => true,
  strictFileInteractability: () => true,
  unhandledPromptBehavior: () => true,
  // The client falls back to HTTP if the answer has no URL.
  webSocketUrl: () => true,
};

const MAX_FIRST_MATCH = 10;
const DEFAULT_COMMAND_TIMEOUT_S = 60;
const MAX_COMMAND_TIMEOUT_S = 3_600;
/** Appium's capability that names the driver. */
const AUTOMATION_NAME = 'phonebooth';
/** Names that Appium's documentation uses for any device. */
const ANY_DEVICE = /^$|^any$|^android( (device|emulator))?$/i;

/** What a client asks for: one set of capabilities that this service can provide, if a phone matches. */
export interface WantedSession {
  /** Name, model code or id of the device; null: any. */
  device: string | null;
  deviceId: string | null;
  osVersion: string | null;
  brand: string | null;
  kind: 'simulated' | 'physical' | null;
  /** Id or name of the group of the device. */
  group: string | null;
  /** The id of an uploaded app. */
  appId: string | null;
  appPackage: string | null;
  appActivity: string | null;
  minutes: number | null;
  waitSeconds: number;
  /** Whether to record the session; null: the default of the account. */
  record: boolean | null;
  /** Whether the recorded commands contain the text that is typed. */
  recordText: boolean;
  /** An existing session to use instead of a new one. */
  attachTo: string | null;
  commandTimeoutS: number;
  timeouts: Partial<SessionState>;
  /** The capabilities for a driver of Appium that the client asks for; null: the built-in driver. */
  appium: JsonObject | null;
  /** The capabilities for the answer: those of the client without its API key. */
  echoed: JsonObject;
}

/** Returns the capabilities that the client prefers first. @throws WebDriverError */
export function readCapabilities(body: unknown): WantedSession[] {
  const { capabilities } = readObject(body, 'the body');
  const { alwaysMatch = {}, firstMatch = [{}] } = readObject(capabilities, 'capabilities');
  const always = readObject(alwaysMatch, 'capabilities.alwaysMatch');
  const firsts = readArray(firstMatch, 'capabilities.firstMatch', MAX_FIRST_MATCH);
  if (firsts.length === 0) throw invalidArgument('capabilities.firstMatch must have at least one item');
  const merged = firsts.map((given, at) =>
    merge(always, readObject(given, `capabilities.firstMatch[${at}]`)),
  );
  for (const one of merged) checkNames(one);
  const matching = merged.filter((one) => mismatchOf(one) === null);
  if (matching.length > 0) return matching.map(wantedOf);
  throw new WebDriverError('session not created', mismatchOf(merged[0]!)!);
}

/** The API key in the capabilities, for clients that cannot send a header. Null if there is none. */
export function apiKeyIn(body: unknown): string | null {
  if (!isObject(body) || !isObject(body.capabilities)) return null;
  const { alwaysMatch, firstMatch } = body.capabilities;
  const places = [alwaysMatch, ...(Array.isArray(firstMatch) ? firstMatch.slice(0, MAX_FIRST_MATCH) : [])];
  for (const place of places) {
    const options = isObject(place) ? place['phonebooth:options'] : null;
    if (isObject(options) && typeof options.apiKey === 'string') return options.apiKey;
  }
  return null;
}

function merge(always: JsonObject, first: JsonObject): JsonObject {
  const twice = Object.keys(first).find((name) => Object.hasOwn(always, name));
  if (twice !== undefined)
    throw invalidArgument(
      `the capability ${twice.slice(0, 100)} must not be in both alwaysMatch and firstMatch`,
    );
  return { ...always, ...first };
}

function checkNames(capabilities: JsonObject): void {
  for (const name of Object.keys(capabilities)) {
    if (name.includes(':') || Object.hasOwn(STANDARD, name)) continue;
    throw invalidArgument(
      `the capability ${name.slice(0, 100)} is not known; capabilities of Appium have the prefix appium:`,
    );
  }
}

/** Why this service cannot provide the capabilities; null if it can. */
function mismatchOf(capabilities: JsonObject): string | null {
  // A driver of Appium checks the standard capabilities by itself.
  if (automationOf(capabilities) !== null) return null;
  for (const [name, isProvided] of Object.entries(STANDARD)) {
    const value = capabilities[name];
    if (value === undefined || value === null || isProvided(value)) continue;
    if (name === 'platformName') return 'platformName must be Android';
    return `the phones of this service do not provide ${name} ${JSON.stringify(value)?.slice(0, 100)}`;
  }
  return null;
}

/** The name of the driver of Appium that the client asks for; null: the built-in driver. */
function automationOf(capabilities: JsonObject): string | null {
  const given = appium(capabilities, 'automationName');
  if (given === undefined) return null;
  const name = readString(given, 'appium:automationName', 60);
  return name.toLowerCase() === AUTOMATION_NAME ? null : name;
}

/** Appium also accepts its capabilities in one object. */
function appium(capabilities: JsonObject, name: string): unknown {
  const options = capabilities['appium:options'];
  return capabilities[`appium:${name}`] ?? (isObject(options) ? options[name] : undefined) ?? undefined;
}

const OPTIONS = [
  ...['apiKey', 'session_id', 'duration', 'wait', 'brand', 'kind', 'group', 'name'],
  ...['record', 'recordText'],
];

function wantedOf(capabilities: JsonObject): WantedSession {
  const options = readObject(capabilities['phonebooth:options'] ?? {}, 'phonebooth:options');
  const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined)
    throw invalidArgument(`phonebooth:options may have ${OPTIONS.join(', ')}, not ${unknown.slice(0, 100)}`);
  const text = (name: string) =>
    optional(appium(capabilities, name), (value) => readText(value, `appium:${name}`)) ?? null;
  const option = (name: string) =>
    optional(options[name], (value) => readString(value, `phonebooth:options.${name}`, 100)) ?? null;
  const count = (name: string, max: number) =>
    optional(options[name], (value) => readInteger(value, `phonebooth:options.${name}`, { min: 0, max })) ??
    null;
  const flag = (name: string) =>
    optional(options[name], (value) => readBoolean(value, `phonebooth:options.${name}`));
  const device = text('deviceName');
  const kind = option('kind');
  if (kind !== null && kind !== 'simulated' && kind !== 'physical')
    throw invalidArgument('phonebooth:options.kind must be simulated or physical');
  return {
    device: device !== null && ANY_DEVICE.test(device) ? null : device,
    deviceId: text('udid'),
    osVersion: text('platformVersion')?.split('.')[0] ?? null,
    brand: option('brand')?.toLowerCase() ?? null,
    kind,
    group: option('group'),
    appId: appIdIn(text('app')),
    appPackage: text('appPackage'),
    appActivity: text('appActivity'),
    minutes: count('duration', HIGHEST_MAX_DURATION),
    waitSeconds: count('wait', MAX_WAIT_S) ?? 0,
    record: flag('record') ?? null,
    recordText: flag('recordText') ?? false,
    attachTo: option('session_id'),
    commandTimeoutS: readCommandTimeout(appium(capabilities, 'newCommandTimeout')),
    timeouts: capabilities.timeouts === undefined ? {} : readTimeouts(capabilities.timeouts),
    appium: automationOf(capabilities) === null ? null : appiumCapabilities(capabilities),
    echoed: echoOf(capabilities, options),
  };
}

const readText = (value: unknown, field: string) =>
  typeof value === 'number' ? String(value) : readString(value, field, 1024);

const readCommandTimeout = (value: unknown) =>
  optional(value, (given) =>
    readInteger(given, 'appium:newCommandTimeout', { min: 0, max: MAX_COMMAND_TIMEOUT_S }),
  ) ?? DEFAULT_COMMAND_TIMEOUT_S;

/** An app is named by its id, or by a URL of this service that ends with it. */
export function appIdIn(app: string | null): string | null {
  if (app === null) return null;
  const id = /(?:^|\/apps\/)(app_[\w-]{1,90})(?:\/icon)?$/.exec(app)?.[1];
  if (id !== undefined) return id;
  throw invalidArgument(
    'appium:app must be the id of an uploaded app, such as app_7Hq2mT0s; upload the file with POST /v1/apps first',
  );
}

const MAX_ECHOED = 32_768;

function echoOf(capabilities: JsonObject, { apiKey: _secret, ...options }: JsonObject): JsonObject {
  const { 'phonebooth:options': _given, webSocketUrl: _unsupported, ...others } = capabilities;
  return JSON.stringify(others).length > MAX_ECHOED
    ? { 'phonebooth:options': options }
    : { ...others, 'phonebooth:options': options };
}
