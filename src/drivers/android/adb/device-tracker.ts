import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../../util/log.ts';
import type { DeviceState } from './adb-device.ts';
import { type AdbServerAddress, openAdbSocket, readText } from './adb-socket.ts';

export interface TrackedDevice {
  serial: string;
  state: DeviceState;
  transport: bigint;
}

export interface TrackerOptions {
  address: AdbServerAddress;
  log: Log;
  /** Called with all phones that the server lists, at the start and at each change; null when no server answers. */
  onDevices: (devices: TrackedDevice[] | null) => void;
  /** Called when no server answers, before each new attempt. It may start one. */
  reviveServer: (signal: AbortSignal) => Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5_000;
const POLL_MS = 1_000;
const RETRY_MS = 500;
const MAX_RETRY_MS = 15_000;

/**
 * State names of an adb server; `no` is the first word of `no permissions (…)`. Source: AOSP adb.cpp,
 * to_string(ConnectionState).
 */
const STATES: Record<string, DeviceState> = {
  device: 'device',
  unauthorized: 'unauthorized',
  authorizing: 'unauthorized',
  offline: 'offline',
  connecting: 'offline',
  no: 'no-permissions',
  recovery: 'other',
  sideload: 'other',
  bootloader: 'other',
  rescue: 'other',
};

/** Follows `host:track-devices-l` until the signal aborts. If the server goes away, the connection is retried. */
export async function trackDevices(options: TrackerOptions, signal: AbortSignal): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    try {
      await follow(options, signal, () => {
        failures = 0;
      });
    } catch (error) {
      if (signal.aborted) return;
      options.log.debug({ error, failures }, 'adb server does not answer');
    }
    options.onDevices(null);
    const wait = Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** failures);
    failures = Math.min(failures + 1, 10);
    await delay(wait, undefined, { signal, ref: true }).catch(() => {});
    if (!signal.aborted) await options.reviveServer(signal).catch(() => {});
  }
}

/** Rejects when the connection ends. */
async function follow(options: TrackerOptions, signal: AbortSignal, onAnswer: () => void): Promise<never> {
  const ended = new AbortController();
  const both = AbortSignal.any([signal, ended.signal]);
  const socket = await openInTime(options.address, 'host:track-devices-l', signal);
  const abort = () => socket.destroy();
  signal.addEventListener('abort', abort, { once: true });
  let hasPhones = false;
  let known: string | null = null;
  const take = (list: string) => {
    if (list === known) return;
    known = list;
    const devices = parseDeviceList(list);
    hasPhones = devices.length > 0;
    options.onDevices(devices);
  };
  const polling = poll(options.address, both, () => hasPhones, take);
  try {
    for (;;) {
      const list = await readText(socket);
      onAnswer();
      take(list);
    }
  } finally {
    ended.abort();
    signal.removeEventListener('abort', abort);
    socket.destroy();
    await polling;
  }
}

/**
 * An adb server (observed with 29.0.6) does not notify its trackers when a phone on the network goes offline, nor
 * when an offline one turns out to be unauthorized. Therefore its list is polled while it has phones.
 */
async function poll(
  address: AdbServerAddress,
  signal: AbortSignal,
  isNeeded: () => boolean,
  take: (list: string) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await delay(POLL_MS, undefined, { signal });
      if (!isNeeded()) continue;
      const socket = await openInTime(address, 'host:devices-l', signal);
      const timer = setTimeout(() => socket.destroy(), CONNECT_TIMEOUT_MS);
      const list = await readText(socket).finally(() => {
        clearTimeout(timer);
        socket.destroy();
      });
      if (!signal.aborted && isNeeded()) take(list);
    } catch {
      // The tracking connection notices when the server is gone.
    }
  }
}

function openInTime(address: AdbServerAddress, service: string, signal: AbortSignal) {
  return openAdbSocket(
    address,
    [service],
    AbortSignal.any([signal, AbortSignal.timeout(CONNECT_TIMEOUT_MS)]),
  );
}

/**
 * Parses the output of `adb devices -l`: a line per phone with its serial number, its state and properties such as
 * `transport_id:3`. A state can have several words (`no permissions (…)`). Lines without a known state or a transport
 * are ignored.
 */
export function parseDeviceList(list: string): TrackedDevice[] {
  return list.split('\n').flatMap((line) => {
    const [, serial, state] = /^(\S+)\s+(\S+)/.exec(line) ?? [];
    const transport = / transport_id:(\d+)/.exec(line)?.[1];
    const known = state === undefined ? undefined : STATES[state];
    return serial && known && transport ? [{ serial, state: known, transport: BigInt(transport) }] : [];
  });
}
