import { invalidArgument } from './errors.ts';
import { isObject, type JsonObject } from './values.ts';

/** The service provides these: the app is installed, and idle sessions are ended, as with the built-in driver. */
const PROVIDED = [
  ...['appium:app', 'appium:newCommandTimeout', 'appium:options', 'appium:udid'],
  ...['phonebooth:options', 'webSocketUrl'],
];

/**
 * With these a driver would use another phone or adb server, or programs and files of the phone's host, and with ports it
 * would disturb the sessions of others.
 */
const OF_THE_HOST =
  /^appium:(avd|emulator|chrome|keystore|remoteAdb|otherApps|androidInstall|buildTools)|^(?!appium:).*:|port$|path$|executable|directory/i;

/** The capabilities that Appium receives from a client, in its usual form. @throws WebDriverError */
export function appiumCapabilities(capabilities: JsonObject): JsonObject {
  const nested = isObject(capabilities['appium:options']) ? capabilities['appium:options'] : {};
  const prefixed = Object.entries(nested).map(([name, value]) => [
    name.includes(':') ? name : `appium:${name}`,
    value,
  ]);
  const all: JsonObject = { ...Object.fromEntries(prefixed), ...capabilities };
  const passed = Object.entries(all).filter(([name]) => !PROVIDED.includes(name));
  const refused = passed.find(([name]) => OF_THE_HOST.test(name))?.[0];
  if (refused !== undefined)
    throw invalidArgument(`${refused.slice(0, 100)} is set by the host of the phone; remove it`);
  return { ...Object.fromEntries(passed), 'appium:newCommandTimeout': 0 };
}
