import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { StreamPacket } from '../../src/contract/stream-packets.ts';
import { AndroidDriver, type AndroidDriverOptions } from '../../src/drivers/android/android-driver.ts';
import type { Phone, PhoneNotification, PhoneSession } from '../../src/drivers/driver.ts';
import { silentLog } from '../../src/util/log.ts';
import { AdbServerProcess } from '../fixtures/phone-double/adb-server.ts';
import type { PhoneModel } from '../fixtures/phone-double/phone-state.ts';
import { type PhoneHandle, Phones } from '../fixtures/phone-double/phones.ts';

const WAIT_MS = 60_000;
/** A test does not wait for what is gone to come back. */
const TIMINGS = { absenceMs: 500, reconnectMs: 250, maxReconnectMs: 1_000 };
/** No Android runs it: any bytes will do where their hash is the one that is asked for. */
const SERVER_FILE = Buffer.from('a stand-in for scrcpy-server v3.3.3'.repeat(4_000));

/** Waits for what is looked for to be there. */
export async function eventually<T>(
  what: string,
  look: () => T | Promise<T>,
  waitMs = WAIT_MS,
): Promise<Exclude<T, false | null | undefined>> {
  const deadline = performance.now() + waitMs;
  for (;;) {
    const found = await look();
    if (found) return found as Exclude<T, false | null | undefined>;
    if (performance.now() > deadline) throw new Error(`${what}: not within ${waitMs / 1000} s`);
    await delay(25);
  }
}

/** Doubles of phones, a real adb server that sees them, and the driver at work. */
export class AndroidRig implements AsyncDisposable {
  readonly phones: Phones;
  readonly server: AdbServerProcess;
  readonly folder: string;
  driver!: AndroidDriver;
  /** What the driver said last. */
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
    // What another said before it is no more.
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

  /** A phone that the adb server has been told to connect to. */
  async plugIn(model: Partial<PhoneModel> = {}): Promise<PhoneHandle> {
    const phone = await this.phones.add(model);
    await this.connect(phone);
    return phone;
  }

  async connect(phone: PhoneHandle): Promise<void> {
    await this.server.adb('connect', phone.address);
  }

  /** As when a cable is pulled: adb does not list the phone any more, and does not look for it. */
  async pullCable(phone: PhoneHandle): Promise<void> {
    await this.server.adb('disconnect', phone.address);
    await phone.do('unplug');
  }

  async plugBackIn(phone: PhoneHandle): Promise<void> {
    await phone.do('plugIn');
    await this.connect(phone);
  }

  /** What the driver says of a phone, when it can be lent. */
  async usable(model: string, waitMs?: number): Promise<Phone> {
    return eventually(
      `${model} can be lent`,
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

/** A phone in use, with all that it has said. */
export class Borrowed {
  readonly session: PhoneSession;
  readonly packets: StreamPacket[] = [];
  readonly notifications: PhoneNotification[] = [];
  lost: { detail: string } | null = null;

  constructor(session: PhoneSession) {
    this.session = session;
    session.onPacket((packet) => this.packets.push(packet));
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
