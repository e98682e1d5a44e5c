import { addAbortListener } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../../util/log.ts';
import type { DeviceState } from './adb-device.ts';
import { type AdbServerAddress, openAdbSocket, readAndClose, readText } from './adb-socket.ts';
import { IdleStreams } from './idle-streams.ts';

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
/** Pause between two polls while each phone has an open idle stream, for changes that nothing else reports. */
const WATCHED_POLL_MS = 30_000;
/** Pause before a list is read after a change. A phone that is unplugged may be offline before it is removed. */
const SETTLE_MS = 100;
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
      options.log.debug({ err: error, failures }, 'adb server does not answer');
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
  const socket = await openInTime(options.address, 'host:track-devices-l', signal);
  using _aborting = addAbortListener(signal, () => socket.destroy());
  const list = new DeviceList(options);
  const polling = list.poll(AbortSignal.any([signal, ended.signal]));
  try {
    for (;;) {
      const text = await readText(socket);
      onAnswer();
      list.take(text);
    }
  } finally {
    ended.abort();
    socket.destroy();
    list.close();
    await polling;
  }
}

/**
 * The list of an adb server. A server (observed with 29.0.6) does not notify its trackers when a phone on the network
 * goes offline, nor when an offline one turns out to be unauthorized. The end of an idle stream reports the former. The
 * list is polled while a phone is not online or has no idle stream.
 */
class DeviceList {
  readonly #address: AdbServerAddress;
  readonly #onDevices: TrackerOptions['onDevices'];
  readonly #streams: IdleStreams;
  #text: string | null = null;
  #count = 0;
  /** Whether the list may have changed since it was last requested. */
  #isOutdated = false;
  #requestedAt = Number.NEGATIVE_INFINITY;
  #pause = new AbortController();

  constructor({ address, onDevices }: TrackerOptions) {
    this.#address = address;
    this.#onDevices = onDevices;
    this.#streams = new IdleStreams(address, () => this.#outdate());
  }

  take(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    // A list that was requested before a notification may arrive after it, so each new list is verified by another.
    this.#outdate();
    const devices = parseDeviceList(text);
    this.#count = devices.length;
    const online = devices.filter(({ state }) => state === 'device');
    this.#streams.update(new Set(online.map(({ transport }) => transport)));
    this.#onDevices(devices);
  }

  close(): void {
    this.#streams.update(new Set());
  }

  async poll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#pause = new AbortController();
      const ended = AbortSignal.any([signal, this.#pause.signal]);
      const isOver = await delay(this.#pauseMs, true, { signal: ended }).catch(() => false);
      if (isOver) await this.#read(signal);
    }
  }

  get #pauseMs(): number {
    const isWatched = this.#streams.openCount === this.#count;
    if (isWatched && !this.#isOutdated) return WATCHED_POLL_MS;
    return Math.max(SETTLE_MS, this.#requestedAt + POLL_MS - performance.now());
  }

  /** Ends the pause that began when the list was up to date. A later change does not prolong the next pause. */
  #outdate(): void {
    if (this.#isOutdated) return;
    this.#isOutdated = true;
    this.#pause.abort();
  }

  async #read(signal: AbortSignal): Promise<void> {
    this.#isOutdated = false;
    this.#requestedAt = performance.now();
    try {
      const socket = await openInTime(this.#address, 'host:devices-l', signal);
      const deadline = AbortSignal.any([signal, AbortSignal.timeout(CONNECT_TIMEOUT_MS)]);
      const text = await readAndClose(socket, readText, deadline);
      if (!signal.aborted) this.take(text);
    } catch {
      // The tracking connection notices when the server is gone.
      this.#outdate();
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
