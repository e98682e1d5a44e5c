import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { decodePacket, type StreamPacket } from '../../src/contract/sockets/stream-packets.ts';
import { AndroidDriver, type AndroidDriverOptions } from '../../src/drivers/android/android-driver.ts';
import type { Phone, PhoneNotification, PhoneSession } from '../../src/drivers/driver.ts';
import { silentLog } from '../../src/util/log.ts';
import { AdbServerProcess } from '../fixtures/phone-double/adb-server.ts';
import type { PhoneModel } from '../fixtures/phone-double/phone-state.ts';
import { type PhoneHandle, Phones } from '../fixtures/phone-double/phones.ts';

const WAIT_MS = 60_000;
/** Short timings, so that a test does not wait long for an absent phone to return. */
const TIMINGS = { absenceMs: 500, reconnectMs: 250, maxReconnectMs: 1_000 };
/** The double does not execute the file, so any bytes work as long as their hash is the expected one. */
const SERVER_FILE = Buffer.from('a stand-in for scrcpy-server v3.3.3'.repeat(4_000));

/** Waits until `look` returns a truthy value, and returns that value. */
export async function eventually<T>(
  what: string,
  look: () => T | Promise<T>,
  waitMs = WAIT_MS,
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const found = await look();
    if (found) return found as Exclude<T, false | null | undefined>;
    if (performance.now() > deadline)
      throw new Error(`Timed out after ${waitMs / 1000} s waiting for ${what}`);
    await delay(25);
  }
}

/** Phone doubles, a real adb server that lists them, and a running driver. */
export class AndroidRig implements AsyncDisposable {
  readonly phones: Phones;
  readonly server: AdbServerProcess;
  readonly folder: string;
  driver!: AndroidDriver;
  /** The phones in the driver's most recent report. */
  seen: Phone[] = [];
  changes = 0;

  readonly #options: Partial<AndroidDriverOptions>;

  private constructor(
    phones: Phones,
    server: AdbServerProcess,
    folder: string,
    options: Partial<AndroidDriverOptions>,
  ) {
    this.#options = options;
    this.phones = phones;
    this.server = server;
    this.folder = folder;
  }

  static async start(options: Partial<AndroidDriverOptions> = {}): Promise<AndroidRig> {
    const folder = await mkdtemp(join(tmpdir(), 'android-rig-'));
    await writeFile(join(folder, 'scrcpy-server'), SERVER_FILE);
    const rig = new AndroidRig(Phones.start(), await AdbServerProcess.start(), folder, options);
    await rig.startDriver();
    return rig;
  }

  async startDriver(options: Partial<AndroidDriverOptions> = {}): Promise<void> {
    // Discards what a previous driver reported.
    this.seen = [];
    this.driver = new AndroidDriver({
      hostId: 'host-test',
      address: { host: '127.0.0.1', port: this.server.port },
      startServer: null,
      dataDir: this.folder,
      scrcpyServer: join(this.folder, 'scrcpy-server'),
      scrcpySha256: createHash('sha256').update(SERVER_FILE).digest('hex'),
      screen: { maxSize: 800, maxFps: 30, bitRate: 4_000_000 },
      log: silentLog,
      timings: TIMINGS,
      ...this.#options,
      ...options,
    });
    await this.driver.start((phones) => {
      this.seen = phones;
      this.changes++;
    });
  }

  /** Adds a phone and tells the adb server to connect to it. */
  async plugIn(model: Partial<PhoneModel> = {}): Promise<PhoneHandle> {
    const phone = await this.phones.add(model);
    await this.connect(phone);
    return phone;
  }

  async connect(phone: PhoneHandle): Promise<void> {
    await this.server.adb('connect', phone.address);
  }

  /** Simulates a pulled cable: adb no longer lists the phone and does not try to reconnect to it. */
  async pullCable(phone: PhoneHandle): Promise<void> {
    await this.server.adb('disconnect', phone.address);
    await phone.do('unplug');
  }

  async plugBackIn(phone: PhoneHandle): Promise<void> {
    await phone.do('plugIn');
    await this.connect(phone);
  }

  /** Waits until the driver reports the phone as available, and returns it. */
  async usable(model: string, waitMs?: number): Promise<Phone> {
    return eventually(
      `${model} to be available`,
      () => this.seen.find((phone) => phone.description.model === model && phone.problem === null),
      waitMs,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.driver[Symbol.asyncDispose]();
    await this.server[Symbol.asyncDispose]();
    await this.phones[Symbol.asyncDispose]();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** A phone in a session, with everything that it has emitted. */
export class Borrowed {
  readonly session: PhoneSession;
  readonly packets: StreamPacket[] = [];
  readonly notifications: PhoneNotification[] = [];
  lost: { detail: string } | null = null;

  constructor(session: PhoneSession) {
    this.session = session;
    session.onPacket((packet) => this.packets.push(decodePacket(packet)));
    session.onNotification((notification) => this.notifications.push(notification));
    void session.lost.then((end) => {
      this.lost = end;
    });
  }

  static async open(phone: Phone): Promise<Borrowed> {
    return new Borrowed(await phone.open({ sessionId: 'session-1', signal: AbortSignal.timeout(WAIT_MS) }));
  }

  perform(method: Parameters<PhoneSession['perform']>[0], params: unknown = {}): Promise<unknown> {
    return this.session.perform(method, params, { signal: AbortSignal.timeout(WAIT_MS) });
  }

  keyframes(): number {
    return this.packets.filter((packet) => packet.type === 'keyframe').length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.session[Symbol.asyncDispose]();
  }
}
