import type { Command, MobileHandler } from '../phone.ts';
import { type JsonObject, readString } from '../protocol/values.ts';
import { readScreen } from '../screen/screen.ts';

/** The states of Appium's queryAppState that can be told apart. */
const APP_STATE = { notInstalled: 0, notRunning: 1, foreground: 4 };

const packageOf = (args: JsonObject) =>
  readString(args.appId ?? args.bundleId ?? args.packageName, 'appId', 255);

const activateApp: MobileHandler = async (args, { phone }) => {
  await phone.call('app.launch', { package: packageOf(args) });
  return null;
};

const terminateApp: MobileHandler = async (args, { phone }) => {
  await phone.call('app.stop', { package: packageOf(args) });
  return true;
};

const installApp: MobileHandler = async (args, { phone }) => {
  await phone.install(readString(args.appPath ?? args.app, 'app', 1024));
  return null;
};

const removeApp: MobileHandler = async (args, command) => {
  const name = packageOf(args);
  if (!(await isInstalled(name, command))) return false;
  await command.phone.call('app.uninstall', { package: name });
  return true;
};

async function isInstalled(name: string, { phone }: Command): Promise<boolean> {
  const { apps } = await phone.call('app.list', {});
  return apps.some((app) => app.package === name);
}

const queryAppState: MobileHandler = async (args, command) => {
  const name = packageOf(args);
  if (!(await isInstalled(name, command))) return APP_STATE.notInstalled;
  const { elements } = await readScreen(command.phone);
  const isShown = elements.some(({ attributes }) => attributes.package === name);
  return isShown ? APP_STATE.foreground : APP_STATE.notRunning;
};

/** The `mobile:` commands for apps. */
export const MOBILE_APP_COMMANDS = {
  activateApp,
  terminateApp,
  installApp,
  removeApp,
  isAppInstalled: (args, command) => isInstalled(packageOf(args), command),
  queryAppState,
} satisfies Record<string, MobileHandler>;
