import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, platform } from 'node:os';
import { type Command, Option } from 'commander';
import type { PhoneSession } from '../client/phone-session.ts';
import type { Phonebooth } from '../client/phonebooth.ts';
import {
  DEVICE_KINDS,
  type Device,
  type DeviceKind,
  PLATFORMS,
  type Platform,
} from '../contract/http/device.ts';
import { addJson, addListJson, counted, type ListOptions, printList, printResult, table } from './output.ts';
import { addRemote, minutes, openService, type RemoteOptions, seconds, untilReady } from './remote.ts';

interface Filters {
  brand?: string;
  osVersion?: string;
}

interface DevicesOptions extends RemoteOptions, ListOptions, Filters {
  status?: 'available' | 'busy';
  platform?: Platform;
  kind?: DeviceKind;
}

interface BorrowOptions extends RemoteOptions, Filters {
  device?: string;
  minutes?: number;
  app?: string;
  wait?: number;
  open?: boolean;
}

/** `phonebooth devices`, `connect` and `run`. */
export function addBorrowCommands(program: Command): void {
  addFilters(addRemote(addListJson(program.command('devices'))))
    .description('list phones with their id, name, brand, OS version, kind and status')
    .addOption(new Option('--status <status>', 'only phones with this status').choices(['available', 'busy']))
    .addOption(
      new Option('--platform <platform>', 'only phones with this operating system').choices(PLATFORMS),
    )
    .addOption(new Option('--kind <kind>', 'only simulated or only physical phones').choices(DEVICE_KINDS))
    .action(devices);
  addBorrowing(addJson(program.command('connect').description('borrow a phone and print its session')))
    .option('--no-open', 'do not open the session in the browser')
    .action(connect);
  addBorrowing(
    program
      .command('run')
      .description('borrow a phone, run a command with it, and end the session in any case')
      .argument('<command...>', 'the command, after --'),
  )
    .addHelpText(
      'after',
      `
The command gets PHONEBOOTH_SESSION_ID, PHONEBOOTH_DEVICE_ID, PHONEBOOTH_SESSION_STREAM_URL and PHONEBOOTH_SESSION_CONTROL_URL in its
environment. In it, phonebooth tap, type, key and the like use this session. phonebooth run exits with the exit code of the command.

  phonebooth run --brand google --minutes 10 -- npm test`,
    )
    .action(run);
}

function addFilters(command: Command): Command {
  return command
    .option('--brand <brand>', 'only phones of this brand')
    .option('--os-version <version>', 'only phones with this OS version');
}

function addBorrowing(command: Command): Command {
  return addFilters(addRemote(command))
    .option('--device <id>', 'borrow this phone (default: any available phone that matches)')
    .option('--minutes <n>', 'length of the session', minutes)
    .option('--app <id>', 'install this uploaded app')
    .option('--wait <seconds>', 'wait in the queue for an available phone, at most 600 s', seconds);
}

async function devices(options: DevicesOptions): Promise<void> {
  const service = await openService(options);
  await printList(options, service.devices(queryOf(options)), { empty: 'No phone matches.', text: describe });
}

function describe(found: Device[]): string {
  const rows = found.map((phone) => {
    const { id, name, brand, os_version, kind, status } = phone;
    return [id, name, brand, os_version, kind, status];
  });
  return table([['ID', 'NAME', 'BRAND', 'OS', 'KIND', 'STATUS'], ...rows]);
}

async function connect(options: BorrowOptions): Promise<void> {
  const service = await openService(options);
  const phone = await borrow(service, options);
  try {
    const session = await service.api.getSession(phone.id);
    const page = service.pageOf(phone.id);
    printResult(
      options,
      session,
      `${phone.id}

You have borrowed phone ${phone.deviceId} until ${phone.expiresAt}.
  Watch and control it  ${page}
  End the session       phonebooth disconnect --session ${phone.id}`,
    );
    if (options.open && !options.json && process.stdout.isTTY) openPage(page);
  } finally {
    phone.detach();
  }
}

async function run(words: string[], options: BorrowOptions): Promise<void> {
  const service = await openService(options);
  await using phone = await borrow(service, options);
  await untilReady(phone);
  process.exitCode = await runWith(phone, words, options.url);
}

/** Runs a command and forwards signals to it, so that the session ends after the command has exited. */
async function runWith(
  phone: PhoneSession,
  [program, ...words]: string[],
  url: string | undefined,
): Promise<number> {
  const environment = {
    PHONEBOOTH_SESSION_ID: phone.id,
    PHONEBOOTH_DEVICE_ID: phone.deviceId,
    PHONEBOOTH_SESSION_STREAM_URL: phone.streamUrl,
    ...(phone.controlUrl && { PHONEBOOTH_SESSION_CONTROL_URL: phone.controlUrl }),
    ...(url !== undefined && { PHONEBOOTH_URL: url }),
  };
  // biome-ignore lint/style/noProcessEnv: the command runs in the environment that this one was given
  const child = spawn(program!, words, { stdio: 'inherit', env: { ...process.env, ...environment } });
  const pass = (signal: NodeJS.Signals) => child.kill(signal);
  process.on('SIGINT', pass).on('SIGTERM', pass);
  let isRunning = true;
  void phone.ended.then((end) => {
    if (!isRunning) return;
    process.stderr.write(`phonebooth: ${end.message}\n`);
    child.kill('SIGTERM');
  });
  try {
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return code ?? 128 + constants.signals[signal!];
  } catch (error) {
    throw new Error(`cannot run ${program}: ${(error as Error).message}; check the command after --`);
  } finally {
    isRunning = false;
    process.off('SIGINT', pass).off('SIGTERM', pass);
  }
}

async function borrow(service: Phonebooth, options: BorrowOptions): Promise<PhoneSession> {
  const wish = {
    ...(options.minutes !== undefined && { duration: options.minutes }),
    ...(options.app !== undefined && { app_id: options.app }),
  };
  if (options.device !== undefined) return service.connect(options.device, wish);
  return service.borrow({
    ...filtersOf(options),
    ...wish,
    ...(options.wait !== undefined && { wait: options.wait }),
    onQueued: ({ position, matching }) =>
      void process.stderr.write(
        `Waiting for one of ${counted(matching, 'phone')}: position ${position} in the queue.\n`,
      ),
  });
}

const filtersOf = ({ brand, osVersion }: Filters) => ({
  ...(brand !== undefined && { brand }),
  ...(osVersion !== undefined && { os_version: osVersion }),
});

const queryOf = ({ status, platform, kind, ...filters }: DevicesOptions) => ({
  ...filtersOf(filters),
  ...(platform !== undefined && { platform }),
  ...(kind !== undefined && { kind }),
  ...(status !== undefined && { status }),
});

const OPENERS: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ['open'],
  // `start` interprets its first quoted argument as the title of a window.
  win32: ['cmd', '/c', 'start', ''],
};

/**
 * Opens a page in the user's default browser. Without a browser nothing happens: the user has the address on the
 * terminal.
 */
function openPage(url: string): void {
  const [program, ...words] = OPENERS[platform()] ?? ['xdg-open'];
  const opener = spawn(program, [...words, url], { stdio: 'ignore', detached: true });
  opener.on('error', () => {});
  opener.unref();
}
