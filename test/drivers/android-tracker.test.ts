import { describe, expect, test } from 'vitest';
import { type TrackedDevice, trackDevices } from '../../src/drivers/android/adb/device-tracker.ts';
import { silentLog } from '../../src/util/log.ts';
import { AdbServerProcess } from '../fixtures/phone-double/adb-server.ts';
import { type PhoneHandle, Phones } from '../fixtures/phone-double/phones.ts';
import { RenamingAdbServer } from '../fixtures/phone-double/renaming-adb-server.ts';
import { eventually } from './android-rig.ts';

/** Less than the pause between two polls of a list whose phones all have an idle stream. */
const NOTICED_MS = 15_000;
const QUIET_MS = 3_500;

/** A tracker of a real adb server, connected through a proxy that records its requests. */
class TrackerRig implements AsyncDisposable {
  readonly phones: Phones;
  readonly server: AdbServerProcess;
  devices: TrackedDevice[] | null = null;
  readonly #proxy: RenamingAdbServer;
  #stop = new AbortController();
  #tracking: Promise<void> = Promise.resolve();

  private constructor(phones: Phones, server: AdbServerProcess, proxy: RenamingAdbServer) {
    this.phones = phones;
    this.server = server;
    this.#proxy = proxy;
  }

  static async start(): Promise<TrackerRig> {
    const server = await AdbServerProcess.start();
    const proxy = await RenamingAdbServer.start(server.port, new Map());
    const rig = new TrackerRig(Phones.start(), server, proxy);
    rig.startTracking();
    return rig;
  }

  async add(serial: string): Promise<PhoneHandle> {
    const phone = await this.phones.add({ serial });
    await this.connect(phone);
    return phone;
  }

  async connect(phone: PhoneHandle): Promise<void> {
    await this.server.adb('connect', phone.address);
  }

  stateOf(phone: PhoneHandle): string | undefined {
    return this.devices?.find(({ serial }) => serial === phone.address)?.state;
  }

  async becomes(phone: PhoneHandle, state: string | undefined): Promise<void> {
    await eventually(`the state ${state}`, () => this.stateOf(phone) === state, NOTICED_MS);
  }

  count(request: string): number {
    return this.#proxy.requests.filter((it) => it === request).length;
  }

  /** Waits until the list has not been read for a while. */
  async isQuiet(): Promise<void> {
    let lists = this.count('host:devices-l');
    let since = performance.now();
    await eventually('the list not to be read', () => {
      if (this.count('host:devices-l') !== lists) since = performance.now();
      lists = this.count('host:devices-l');
      return performance.now() - since > QUIET_MS;
    });
  }

  startTracking(): void {
    this.#stop = new AbortController();
    const onDevices = (devices: TrackedDevice[] | null) => {
      this.devices = devices;
    };
    const address = { host: '127.0.0.1', port: this.#proxy.port };
    this.#tracking = trackDevices(
      { address, log: silentLog, onDevices, reviveServer: async () => {} },
      this.#stop.signal,
    );
  }

  async stopTracking(): Promise<void> {
    this.#stop.abort();
    await this.#tracking;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stopTracking();
    await this.#proxy[Symbol.asyncDispose]();
    await this.server[Symbol.asyncDispose]();
    await this.phones[Symbol.asyncDispose]();
  }
}

const openStreams = (phone: PhoneHandle, count: number) =>
  eventually(`${count} open streams`, async () => (await phone.report()).streams === count);

describe('a phone with an idle stream', () => {
  test('is not polled, and is reported when it goes offline and when it comes back', async () => {
    await using rig = await TrackerRig.start();
    const phone = await rig.add('IDLE01');
    const other = await rig.add('IDLE02');
    await openStreams(phone, 1);
    await openStreams(other, 1);
    await rig.isQuiet();
    await phone.do('unplug');
    await rig.becomes(phone, 'offline');
    expect(rig.stateOf(other)).toBe('device');
    await phone.do('plugIn');
    await rig.connect(phone);
    await rig.becomes(phone, 'device');
    await openStreams(phone, 1);
    await rig.isQuiet();
    await rig.server.adb('disconnect', phone.address);
    await rig.becomes(phone, undefined);
    await openStreams(other, 1);
    await rig.stopTracking();
    await openStreams(other, 0);
  });

  test('gets a new one when the adb server has been killed and started again', async () => {
    await using rig = await TrackerRig.start();
    const phone = await rig.add('IDLE03');
    await openStreams(phone, 1);
    await rig.server.kill();
    await eventually('the server to be missed', () => rig.devices === null);
    await openStreams(phone, 0);
    await rig.server.start();
    await rig.connect(phone);
    await rig.becomes(phone, 'device');
    await openStreams(phone, 1);
    await rig.isQuiet();
  });
});

describe('a phone without an idle stream', () => {
  test.each(['rejected', 'closed', 'noisy'] as const)('is polled if `sync:` is %s', async (sync) => {
    await using rig = await TrackerRig.start();
    const phone = await rig.phones.add({ serial: 'SYNC01' });
    await phone.faults({ sync });
    const since = performance.now();
    await rig.connect(phone);
    await rig.becomes(phone, 'device');
    const lists = rig.count('host:devices-l');
    await eventually('some polls', () => rig.count('host:devices-l') - lists >= 4);
    // The pauses after the first attempts are 1, 2 and 4 s.
    const mostAttempts = Math.floor(Math.log2((performance.now() - since) / 1_000 + 2)) + 1;
    expect(rig.count('sync:')).toBeGreaterThan(0);
    expect(rig.count('sync:')).toBeLessThanOrEqual(mostAttempts);
    await openStreams(phone, 0);
    await phone.faults({ silent: true });
    await phone.do('drop');
    await rig.becomes(phone, 'offline');
  });

  test('is polled while it is offline, until it turns out to be unauthorized', async () => {
    await using rig = await TrackerRig.start();
    const online = await rig.add('IDLE05');
    await openStreams(online, 1);
    const phone = await rig.phones.add({ serial: 'UNAUTH03' });
    await phone.faults({ unauthorized: true });
    await rig.connect(phone);
    await rig.becomes(phone, 'unauthorized');
    await phone.faults({ unauthorized: false });
    await rig.becomes(phone, 'device');
    await openStreams(phone, 1);
    await rig.isQuiet();
  });

  test('is polled if it hangs, and gets a stream when it answers again', async () => {
    await using rig = await TrackerRig.start();
    const phone = await rig.add('IDLE04');
    await openStreams(phone, 1);
    await rig.stopTracking();
    await openStreams(phone, 0);
    await rig.phones.pause();
    try {
      rig.startTracking();
      const lists = rig.count('host:devices-l');
      await eventually('some polls', () => rig.count('host:devices-l') - lists >= 3);
      expect(rig.stateOf(phone)).toBe('device');
    } finally {
      rig.phones.resume();
    }
    await openStreams(phone, 1);
    await rig.isQuiet();
  });
});
