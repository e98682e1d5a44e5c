import { Type } from 'typebox';
import type { PhoneSession } from '../../client/phone-session.ts';
import { URL_WITH_SCHEME } from '../../contract/http/text.ts';
import { controlDeadlineMs } from '../../contract/sockets/control-deadlines.ts';
import type { ControlResult } from '../../contract/sockets/control-methods.ts';
import { counted } from '../../util/counted.ts';
import { actingTool } from '../acting.ts';
import { ToolError } from '../error-messages.ts';
import type { HeldPhone } from '../held-phone.ts';
import { ENDS, fields, LOOKS, SPARE_MS, type ToolCall, tool, whichPhone } from '../tool.ts';

type InstalledApp = ControlResult<'app.list'>['apps'][number];

/** Maximum number of apps listed. A phone can have hundreds. */
const MAX_LISTED = 150;
/** Maximum number of other apps that an error suggests when an app is not found. */
const MAX_SUGGESTED = 12;
/** Time for which the screen of a starting app must be unchanged, ms. */
const START_STILL_MS = 500;

const app = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'Label of the app ("Settings") or its package name',
});

const listApps = tool({
  name: 'list_apps',
  title: 'List uploaded apps',
  description:
    'Lists the apps that were uploaded to this account and can be installed, newest first: id, name, package, version. For the apps on a phone, call list_installed.',
  input: fields({}),
  effect: LOOKS,
  run: async (_, { phones, signal }) => {
    const { items, total } = await phones.service.api.listApps({ page: 1, page_size: 100 }, signal);
    if (total === 0)
      return 'No apps are uploaded. The user can upload one in the console, or with `phonebooth install`. Over standard input and output, upload_app uploads one.';
    const lines = items.map(
      ({ id, name, package: name_, version }) => `${id}: ${name}, ${name_}, ${version}`,
    );
    if (total > items.length) lines.push(`(${counted(total - items.length, 'older app')} not shown)`);
    return lines.join('\n');
  },
});

const installApp = actingTool({
  name: 'install_app',
  title: 'Install an app',
  description:
    'Installs an uploaded app on a phone and waits until it is installed. Next, call launch_app. An error contains the phone’s message.',
  arguments: {
    app_id: Type.String({ minLength: 1, maxLength: 100, description: 'Id of the app from list_apps' }),
  },
  show: 'none',
  deadlineMs: () => controlDeadlineMs('client', 'app.install') + SPARE_MS,
  run: async ({ app_id }, phone, { phones, signal, reportProgress }) => {
    const { name: label, package: packageName } = await phones.service.api.getApp(app_id, signal);
    await keepLog(phone, signal);
    phone.touched();
    await phone.session.install(app_id, {
      signal,
      onProgress: ({ state, percent }) => reportProgress(`${state}, ${percent} %`),
    });
    return `Installed ${label} on ${phone.title}. Start it with launch_app and the app ${JSON.stringify(packageName)}.`;
  },
});

const listInstalled = tool({
  name: 'list_installed',
  title: 'List installed apps',
  description:
    'Lists the apps on a phone: label, package name, and "system" for apps that came with the phone.',
  input: fields({
    ...whichPhone,
    contains: Type.Optional(
      Type.String({
        maxLength: 100,
        description: 'Return only apps with this text in their label or package name',
      }),
    ),
  }),
  effect: LOOKS,
  run: async ({ phone: name, contains = '' }, { phones, signal }) => {
    const wanted = contains.toLowerCase();
    const all = (await phones.pick(name).session.apps({ signal }))
      .filter((entry) => lineOf(entry).toLowerCase().includes(wanted))
      .toSorted((a, b) => Number(a.system) - Number(b.system) || a.label.localeCompare(b.label));
    if (all.length === 0)
      return `No installed app has ${JSON.stringify(contains)} in its label or package name.`;
    const lines = all.slice(0, MAX_LISTED).map(lineOf);
    if (all.length > MAX_LISTED)
      lines.push(`(${all.length - MAX_LISTED} more apps are not shown; filter them with \`contains\`)`);
    return lines.join('\n');
  },
});

const lineOf = ({ label, package: packageName, system }: InstalledApp) =>
  `${label}: ${packageName}${system ? ', system' : ''}`;

const launchApp = actingTool({
  name: 'launch_app',
  title: 'Start an app',
  description:
    'Brings an app to the front, starts it if necessary, and returns its screen. If the app is still loading then, call wait_for.',
  arguments: { app },
  stillMs: START_STILL_MS,
  run: async ({ app: wanted }, phone, { signal }) => {
    const found = await findApp(phone, wanted, signal);
    await keepLog(phone, signal);
    phone.touched();
    await phone.session.launch(found.package, { signal });
    return `Started ${found.label} (${found.package}).`;
  },
});

type AppChange = (
  session: PhoneSession,
  packageName: string,
  options: Pick<ToolCall, 'signal'>,
) => Promise<void>;

/** Returns the function of a tool that changes one app. `done`: the result, before the name of the app. */
function changing(change: AppChange, done: string) {
  return async ({ app: wanted }: { app: string }, phone: HeldPhone, { signal }: ToolCall) => {
    const found = await findApp(phone, wanted, signal);
    phone.touched();
    await change(phone.session, found.package, { signal });
    return `${done} ${found.label} (${found.package}).`;
  };
}

const stopApp = actingTool({
  name: 'stop_app',
  title: 'Stop an app',
  description: 'Stops an app; unsaved data in it is lost.',
  arguments: { app },
  effect: ENDS,
  run: changing((session, name, options) => session.stopApp(name, options), 'Stopped'),
});

const clearAppData = actingTool({
  name: 'clear_app_data',
  title: 'Delete the data of an app',
  description:
    'Stops an app and deletes its data, so that it is as after its installation: signed out, with default settings.',
  arguments: { app },
  effect: ENDS,
  show: 'none',
  run: changing((session, name, options) => session.clearApp(name, options), 'Deleted the data of'),
});

const uninstallApp = actingTool({
  name: 'uninstall_app',
  title: 'Uninstall an app',
  description: 'Uninstalls an app with its data. Apps that came with the phone cannot be uninstalled.',
  arguments: { app },
  effect: ENDS,
  show: 'none',
  run: changing((session, name, options) => session.uninstall(name, options), 'Uninstalled'),
});

const openUrl = actingTool({
  name: 'open_url',
  title: 'Open a URL',
  description:
    'Opens a URL or a deep link of an app, as if it had been tapped in another app, and returns the screen. If the page is still loading then, call wait_for.',
  arguments: {
    url: Type.String({
      maxLength: 4096,
      pattern: URL_WITH_SCHEME,
      description: 'URL with its scheme, such as "https://example.com"',
    }),
  },
  stillMs: START_STILL_MS,
  run: async ({ url }, phone, { signal }) => {
    phone.touched();
    await phone.session.openUrl(url, { signal });
    return 'Opened the URL.';
  },
});

/** Keeps the log from now on, so that it is complete when the model asks why the app has failed. */
async function keepLog({ log }: HeldPhone, signal: AbortSignal): Promise<void> {
  await log.start(signal).catch(() => signal.throwIfAborted());
}

/** Finds an app by its package name or its label, ignoring case. @throws ToolError that suggests similar apps */
async function findApp(phone: HeldPhone, wanted: string, signal: AbortSignal): Promise<InstalledApp> {
  const apps = await phone.session.apps({ signal });
  const text = wanted.toLowerCase();
  const byPackage = apps.find((entry) => entry.package.toLowerCase() === text);
  if (byPackage) return byPackage;
  const byLabel = apps.filter(({ label }) => label.toLowerCase() === text);
  if (byLabel.length === 1) return byLabel[0]!;
  const near =
    byLabel.length > 1 ? byLabel : apps.filter((entry) => lineOf(entry).toLowerCase().includes(text));
  const suggested = near.slice(0, MAX_SUGGESTED).map(lineOf).join('; ');
  const problem = byLabel.length > 1 ? 'Several apps have the label' : 'No app on this phone is called';
  const next =
    suggested === '' ? 'Call list_installed to see the installed apps.' : `Did you mean: ${suggested}?`;
  throw new ToolError(`${problem} ${JSON.stringify(wanted)}. ${next}`);
}

export const APP_TOOLS = [
  ...[listApps, installApp, listInstalled, launchApp, stopApp],
  ...[clearAppData, uninstallApp, openUrl],
];
