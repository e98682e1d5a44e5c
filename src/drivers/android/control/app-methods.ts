import { DriverError } from '../../driver.ts';
import { shellLine } from '../adb/quote.ts';
import { serverLine } from '../scrcpy/run.ts';
import { ask, type Handlers, type PhoneContext } from './phone-context.ts';

const LABELS_TIMEOUT_MS = 8_000;

/** The methods about apps, by `pm` and `am`. */
export function appMethods(phone: PhoneContext): Handlers {
  return {
    'app.uninstall': async ({ package: name }, signal) => {
      await mustExist(phone, name, signal);
      await ask(phone, shellLine('pm', 'uninstall', name), signal);
      return null;
    },
    'app.launch': async ({ package: name, activity }, signal) => {
      await mustExist(phone, name, signal);
      await phone.journal.add('launched', name);
      const component = activity ? `${name}/${activity}` : await launcherOf(phone, name, signal);
      await ask(phone, shellLine('am', 'start', '-n', component), signal);
      return null;
    },
    'app.stop': async ({ package: name }, signal) => {
      await mustExist(phone, name, signal);
      await ask(phone, shellLine('am', 'force-stop', name), signal);
      return null;
    },
    'app.list': async (_params, signal) => ({ apps: await listApps(phone, signal) }),
    open_url: async ({ url }, signal) => {
      await ask(phone, shellLine('am', 'start', '-a', 'android.intent.action.VIEW', '-d', url), signal);
      return null;
    },
  };
}

/** `am` and `pm` are silent about packages that are not there, or say nothing that a client understands. */
async function mustExist(phone: PhoneContext, name: string, signal: AbortSignal): Promise<void> {
  const { stdout } = await phone.device.shell(shellLine('pm', 'path', name), { signal });
  if (!stdout.includes('package:')) {
    throw new DriverError('failed', `there is no app named ${name} on this phone`);
  }
}

/** The component behind the app's icon, on the last line of the answer. */
async function launcherOf(phone: PhoneContext, name: string, signal: AbortSignal): Promise<string> {
  const line = shellLine(
    ...['cmd', 'package', 'resolve-activity', '--brief'],
    ...['-c', 'android.intent.category.LAUNCHER', name],
  );
  const component = (await ask(phone, line, signal)).trim().split('\n').at(-1)?.trim() ?? '';
  if (!component.includes('/')) throw new DriverError('failed', `${name} has nothing to launch`);
  return component;
}

async function listApps(phone: PhoneContext, signal: AbortSignal) {
  const packages = async (flag: string) => {
    const text = await ask(phone, shellLine('pm', 'list', 'packages', flag), signal);
    return [...text.matchAll(/^package:(\S+)/gm)].map((match) => match[1]!);
  };
  const [own, system, labels] = await Promise.all([
    packages('-3'),
    packages('-s'),
    readLabels(phone, signal),
  ]);
  const describe = (isSystem: boolean) => (name: string) => ({
    package: name,
    label: labels.get(name) ?? name,
    system: isSystem,
  });
  return [...own.map(describe(false)), ...system.map(describe(true))];
}

/**
 * The names below the icons, which only code that runs on the phone can have; scrcpy's server lists them. A phone
 * that takes too long over it is left without.
 */
async function readLabels(phone: PhoneContext, signal: AbortSignal): Promise<Map<string, string>> {
  const line = serverLine(phone.serverPath, [
    ['list_apps', 'true'],
    ['cleanup', 'false'],
  ]);
  try {
    return parseLabels(await phone.device.text(line, { signal, timeoutMs: LABELS_TIMEOUT_MS }));
  } catch {
    signal.throwIfAborted();
    return new Map();
  }
}

/** ` * Settings     com.android.settings`, a longer name on a line of its own (scrcpy LogUtils.java). */
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
