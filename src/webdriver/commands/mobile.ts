import { MAX_TEXT_LENGTH } from '../../contract/sockets/control-methods.ts';
import type { Command, Handler, MobileHandler } from '../phone.ts';
import { WebDriverError } from '../protocol/errors.ts';
import { androidKeyName } from '../protocol/keys.ts';
import { optional, readArray, readInteger, readObject, readString } from '../protocol/values.ts';
import { ELEMENT_KEY } from '../screen/element-references.ts';
import { ELEMENT_COMMANDS } from './elements.ts';
import { MOBILE_APP_COMMANDS } from './mobile-apps.ts';
import { MOBILE_CONDITIONS } from './mobile-conditions.ts';
import { MOBILE_GESTURES } from './mobile-gestures.ts';

const MAX_ARGUMENTS = 100;

const deepLink: MobileHandler = async (args, { phone }) => {
  await phone.call('open_url', { url: readString(args.url, 'url', 4096) });
  return null;
};

const pressKey: MobileHandler = async ({ keycode, metastate }, { phone }) => {
  const code = readInteger(keycode, 'keycode', { min: 0, max: 10_000 });
  const key = androidKeyName(code);
  if (key === undefined)
    throw new WebDriverError('invalid argument', `keycode ${code} is not an Android key code`);
  const meta = optional(metastate, (value) => readInteger(value, 'metastate', { min: 0, max: 0x7fffffff }));
  await phone.call('key', { key, ...(meta !== undefined && { meta }) });
  return null;
};

/** Runs a command on the phone. Each argument is quoted for the phone's shell. */
const shell: MobileHandler = async (args, { phone }) => {
  const words = readArray(args.args ?? [], 'args', MAX_ARGUMENTS).map((word) =>
    readString(word, 'args', 8192),
  );
  const line = [readString(args.command, 'command', 8192), ...words.map(quoted)].join(' ');
  const { stdout, stderr } = await phone.call('shell', { command: line });
  return args.includeStderr === true ? { stdout, stderr } : stdout;
};

const quoted = (word: string) => `'${word.replaceAll("'", String.raw`'\''`)}'`;

const getClipboard: MobileHandler = async (_, { phone }) =>
  Buffer.from((await phone.call('clipboard.get', {})).text).toString('base64');

const setClipboard: MobileHandler = async ({ content }, { phone }) => {
  const bytes = Buffer.from(readString(content, 'content', MAX_TEXT_LENGTH * 4), 'base64');
  await phone.call('clipboard.set', { text: bytes.toString('utf8') });
  return null;
};

const type: MobileHandler = async ({ text }, { phone }) => {
  await phone.call('text', { text: readString(text, 'text', MAX_TEXT_LENGTH) });
  return true;
};

const MOBILE: Readonly<Record<string, MobileHandler>> = {
  ...MOBILE_APP_COMMANDS,
  ...MOBILE_GESTURES,
  ...MOBILE_CONDITIONS,
  deepLink,
  pressKey,
  shell,
  getClipboard,
  setClipboard,
  type,
};

/** Scripts that the clients of Selenium send in place of two commands, each with the element as first argument. */
const SELENIUM_SCRIPT = /^\/\* (getAttribute|isDisplayed) \*\/return \(/;

/** `mobile: name` with one object of arguments. JavaScript cannot be executed on a native screen. */
const execute: Handler = async (command) => {
  const { args } = command.body;
  const script = readString(command.body.script, 'script', 100_000);
  const selenium = SELENIUM_SCRIPT.exec(script)?.[1];
  if (selenium !== undefined) return executeSelenium(selenium, command);
  const name = /^mobile: *(\w{1,40})$/.exec(script)?.[1];
  if (name === undefined)
    throw new WebDriverError(
      'unsupported operation',
      'script must be a mobile: command, such as mobile: deepLink',
    );
  if (!Object.hasOwn(MOBILE, name))
    throw new WebDriverError(
      'unknown command',
      `mobile: ${name} does not exist; the commands are ${Object.keys(MOBILE).join(', ')}`,
    );
  const [first = {}] = readArray(args ?? [], 'args', 10);
  return MOBILE[name]!(readObject(first, 'args[0]'), command);
};

function executeSelenium(name: string, command: Command): Promise<unknown> {
  const [given, attribute] = readArray(command.body.args, 'args', 2);
  const element = readString(readObject(given, 'args[0]')[ELEMENT_KEY], 'args[0]', 200);
  if (name === 'isDisplayed')
    return ELEMENT_COMMANDS['GET /element/{element}/displayed']!({ ...command, params: { element } });
  const params = { element, name: readString(attribute, 'args[1]', 100) };
  return ELEMENT_COMMANDS['GET /element/{element}/attribute/{name}']!({ ...command, params });
}

const asMobile =
  (mobile: MobileHandler): Handler =>
  (command) =>
    mobile(command.body, command);

export const MOBILE_COMMANDS: Record<string, Handler> = {
  'POST /execute/sync': execute,
  'POST /execute': execute,
  'POST /appium/device/activate_app': asMobile(MOBILE_APP_COMMANDS.activateApp),
  'POST /appium/device/terminate_app': asMobile(MOBILE_APP_COMMANDS.terminateApp),
  'POST /appium/device/install_app': asMobile(MOBILE_APP_COMMANDS.installApp),
  'POST /appium/device/remove_app': asMobile(MOBILE_APP_COMMANDS.removeApp),
  'POST /appium/device/app_installed': asMobile(MOBILE_APP_COMMANDS.isAppInstalled),
  'POST /appium/device/app_state': asMobile(MOBILE_APP_COMMANDS.queryAppState),
  'POST /appium/device/press_keycode': asMobile(pressKey),
  'POST /appium/device/get_clipboard': asMobile(getClipboard),
  'POST /appium/device/set_clipboard': asMobile(setClipboard),
};
