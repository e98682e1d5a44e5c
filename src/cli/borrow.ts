import { spawn } from 'node:child_process';
import { platform } from 'node:os';
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
import type { Queued } from '../contract/http/queue.ts';
import { counted } from '../util/counted.ts';
import { addJson, addListJson, type ListOptions, printList, printResult, table } from './output.ts';
import { addRemote, minutes, openService, type RemoteOptions, seconds } from './remote.ts';

interface Filters {
  brand?: string;
  osVersion?: string;
}

interface DevicesOptions extends RemoteOptions, ListOptions, Filters {
  status?: 'available' | 'busy';
  platform?: Platform;
  kind?: DeviceKind;
}

export interface BorrowOptions extends RemoteOptions, Filters {
  device?: string;
  minutes?: number;
  app?: string;
  wait?: number;
  /** undefined: the account's default. */
  record?: boolean;
  recordText?: boolean;
}

interface ConnectOptions extends BorrowOptions {
  open?: boolean;
}

/**
 * Time that a request which does not wait in the queue yet has after an abort. Its answer may be a session, which the
 * caller has to end.
 */
const FIRST_ANSWER_MS = 3_000;

/** `phonebooth devices` and `connect`. */
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
    .option('--record', 'record the screen, the commands and the log (default: the setting of the account)')
    .option('--no-record', 'do not record, even if the account records by default')
    .option('--no-open', 'do not open the session in the browser')
    .action(connect);
}

function addFilters(command: Command): Command {
  return command
    .option('--brand <brand>', 'only phones of this brand')
    .option('--os-version <version>', 'only phones with this OS version');
}

export function addBorrowing(command: Command): Command {
  return addFilters(addRemote(command))
    .option('--device <id>', 'borrow this phone (default: any available phone that matches)')
    .option('--minutes <n>', 'length of the session', minutes)
    .option('--app <id>', 'install this uploaded app')
    .option('--wait <seconds>', 'wait in the queue for an available phone, at most 600 s', seconds)
    .option('--record-text', 'let the recording contain the text that is typed');
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

async function connect(options: ConnectOptions): Promise<void> {
  const service = await openService(options);
  const phone = await borrow(service, options);
  try {
    const session = await service.api.getSession(phone.id);
    const page = service.pageOf(phone.id);
    printResult(
      options,
      session,
      `${phone.id}

You have borrowed phone ${phone.deviceId} until ${phone.expiresAt}.${session.recording ? ' The session is recorded.' : ''}
  Watch and control it  ${page}
  End the session       phonebooth disconnect --session ${phone.id}`,
    );
    if (options.open && !options.json && process.stdout.isTTY) openPage(page);
  } finally {
    phone.detach();
  }
}

/** Borrows the named phone, or any that matches, for which it may wait in the queue until the signal is aborted. */
export async function borrow(
  service: Phonebooth,
  options: BorrowOptions,
  { signal, onQueued = printPosition }: { signal?: AbortSignal; onQueued?: (queued: Queued) => void } = {},
): Promise<PhoneSession> {
  const request = {
    ...(options.minutes !== undefined && { duration: options.minutes }),
    ...(options.app !== undefined && { app_id: options.app }),
    ...(options.record !== undefined && { record: options.record }),
    ...(options.recordText && { record_text: true }),
  };
  if (options.device !== undefined) return service.connect(options.device, request);
  const waiting = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let isQueued = false;
  const stop = () => {
    clearTimeout(timer);
    timer = setTimeout(() => waiting.abort(signal!.reason), isQueued ? 0 : FIRST_ANSWER_MS);
  };
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await service.borrow({
      ...filtersOf(options),
      ...request,
      ...(options.wait !== undefined && { wait: options.wait }),
      signal: waiting.signal,
      onQueued: (queued) => {
        isQueued = true;
        if (signal?.aborted) stop();
        else onQueued(queued);
      },
    });
  } finally {
    signal?.removeEventListener('abort', stop);
    clearTimeout(timer);
  }
}

function printPosition({ position, matching }: Queued): void {
  process.stderr.write(
    `Waiting for one of ${counted(matching, 'phone')}: position ${position} in the queue.\n`,
  );
}

export const filtersOf = ({ brand, osVersion }: Filters) => ({
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
