import { DriverError } from '../../driver.ts';
import { shellLine } from '../adb/quote.ts';
import { listPackages } from '../packages.ts';
import { serverLine } from '../scrcpy/run.ts';
import { type Handlers, type PhoneContext, runCommand } from './phone-context.ts';

/** Maximum number of browsers that a phone may offer for an address. */
const MAX_HANDLERS = 20;
const LABELS_TIMEOUT_MS = 8_000;

/** The control methods about apps, which use `pm` and `am`. */
export function appMethods(phone: PhoneContext): Handlers {
  return {
    'app.uninstall': async ({ package: name }, signal) => {
      await mustExist(phone, name, signal);
      await runCommand(phone, shellLine('pm', 'uninstall', '--user', phone.user, name), signal);
      return null;
    },
    'app.launch': async ({ package: name, activity }, signal) => {
      await mustExist(phone, name, signal);
      await phone.journal.add('launched', name);
      const component = activity ? `${name}/${activity}` : await launcherOf(phone, name, signal);
      await runCommand(phone, shellLine('am', 'start', '--user', phone.user, '-n', component), signal);
      return null;
    },
    'app.stop': async ({ package: name }, signal) => {
      await mustExist(phone, name, signal);
      await runCommand(phone, shellLine('am', 'force-stop', '--user', phone.user, name), signal);
      return null;
    },
    'app.clear': async ({ package: name }, signal) => {
      await mustExist(phone, name, signal);
      const { own } = await listPackages(phone.device, phone.user, signal);
      // The data of a system app without an icon is configuration of the phone, which a later session needs.
      if (!own.includes(name)) await launcherOf(phone, name, signal);
      const said = await runCommand(phone, shellLine('pm', 'clear', '--user', phone.user, name), signal);
      if (!/^Success/m.test(said))
        throw new DriverError('failed', `the phone did not delete the data of ${name}: ${said.trim()}`);
      return null;
    },
    'app.list': async (_params, signal) => ({ apps: await listApps(phone, signal) }),
    open_url: async ({ url }, signal) => {
      const view = ['-a', 'android.intent.action.VIEW', '-d', url];
      for (const name of await handlersOf(phone, view, signal)) await phone.journal.add('launched', name);
      await runCommand(phone, shellLine('am', 'start', '--user', phone.user, ...view), signal);
      return null;
    },
  };
}

/** For a package that does not exist, `am` and `pm` print nothing, or a message that a client does not understand. */
async function mustExist(phone: PhoneContext, name: string, signal: AbortSignal): Promise<void> {
  const { stdout } = await phone.device.shell(shellLine('pm', 'path', '--user', phone.user, name), {
    signal,
  });
  if (!stdout.includes('package:')) {
    throw new DriverError('failed', `this phone has no app named ${name}; app.list lists its apps`);
  }
}

/** The apps that may open an address: the phone's preferred one, or each of those that it offers. */
async function handlersOf(phone: PhoneContext, view: string[], signal: AbortSignal): Promise<string[]> {
  const line = shellLine('cmd', 'package', 'query-activities', '--brief', '--user', phone.user, ...view);
  const { stdout } = await phone.device.shell(line, { signal });
  const names = stdout.toString('utf8').matchAll(/^\s*([A-Za-z][\w.]{0,254})\/[\w.$]+\s*$/gm);
  return [...new Set(Array.from(names, ([, name]) => name!))].slice(0, MAX_HANDLERS);
}

/** The component behind the app's icon, which is on the last line of the output. */
async function launcherOf(phone: PhoneContext, name: string, signal: AbortSignal): Promise<string> {
  const line = shellLine(
    ...['cmd', 'package', 'resolve-activity', '--brief', '--user', phone.user],
    ...['-c', 'android.intent.category.LAUNCHER', name],
  );
  const component = (await runCommand(phone, line, signal)).trim().split('\n').at(-1)?.trim() ?? '';
  if (!component.includes('/')) {
    throw new DriverError('failed', `${name} has no launcher activity; name an activity in "activity"`);
  }
  return component;
}

async function listApps(phone: PhoneContext, signal: AbortSignal) {
  const [{ all, own }, labels] = await Promise.all([
    listPackages(phone.device, phone.user, signal),
    readLabels(phone, signal),
  ]);
  // Android's framework is a package but not an app.
  const system = all.filter((name) => name !== 'android' && !own.includes(name));
  const describe = (isSystem: boolean) => (name: string) => ({
    package: name,
    label: labels.get(name) ?? name,
    system: isSystem,
  });
  return [...own.map(describe(false)), ...system.map(describe(true))];
}

/**
 * The labels below the app icons. Only code that runs on the phone can read them, so scrcpy's server lists them.
 * Without an answer in time there are no labels.
 */
async function readLabels(phone: PhoneContext, signal: AbortSignal): Promise<Map<string, string>> {
  const line = serverLine(phone.serverPath, [
    ['list_apps', 'true'],
    ['cleanup', 'false'],
  ]);
  try {
    const { stdout } = await phone.device.shell(line, { signal, timeoutMs: LABELS_TIMEOUT_MS });
    return parseLabels(stdout.toString('utf8'));
  } catch {
    signal.throwIfAborted();
    return new Map();
  }
}

/** Parses ` * Settings     com.android.settings`, or a longer name on a separate line (scrcpy LogUtils.java). */
export function parseLabels(text: string): Map<string, string> {
  const labels = new Map<string, string>();
  let label = '';
  for (const line of text.split('\n')) {
    const lastWord = /\s([A-Za-z][\w.]{0,254})$/.exec(line)?.[1] ?? '';
    const name = lastWord.includes('.') ? lastWord : '';
    if (/^ [*-] /.test(line)) label = line.slice(3, line.length - name.length).trim();
    if (!name || !label) continue;
    labels.set(name, label);
    label = '';
  }
  return labels;
}
