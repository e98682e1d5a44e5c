import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Log } from '../../util/log.ts';
import { AdbDevice, type DeviceState } from './adb/adb-device.ts';
import type { AdbServerAddress } from './adb/adb-socket.ts';
import { AndroidPhone, type PhoneMemory } from './android-phone.ts';
import { Journal } from './journal.ts';
import { BootingError, describePhone, type PhoneFacts } from './phone-description.ts';
import { problemOf } from './phone-problems.ts';
import type { ScreenSettings } from './scrcpy/run.ts';
import type { ScrcpyServerFile } from './scrcpy-server.ts';
import { lockProblem } from './screen-lock.ts';

export interface PhoneEntryOptions {
  serial: string;
  address: AdbServerAddress;
  hostId: string;
  journalFolder: string;
  screen: ScreenSettings;
  allowShell: boolean;
  log: Log;
  serverFile: (signal: AbortSignal) => Promise<ScrcpyServerFile>;
  /** What is said of the phone has changed. */
  onChange: () => void;
}

const BEING_ASKED = 'being asked what it is';
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 30_000;
/** Asking for what a phone is, all of it. */
const DESCRIBE_TIMEOUT_MS = 25_000;

/** One serial of the adb server: finds out what the phone is, each time it comes, and holds what stays of it. */
export class PhoneEntry {
  readonly #options: PhoneEntryOptions;
  readonly #device: AdbDevice;
  readonly #closing = new AbortController();
  #facts: PhoneFacts | null = null;
  #memory: PhoneMemory | null = null;
  #problem: string | null = BEING_ASKED;
  #asking: AbortController | null = null;
  #asked: Promise<void> = Promise.resolve();

  constructor(options: PhoneEntryOptions) {
    this.#options = options;
    this.#device = new AdbDevice(options.address, options.serial);
  }

  get isOnNetwork(): boolean {
    return /:\d+$/.test(this.#options.serial);
  }

  /** It has not answered yet what it is. */
  get isAsked(): boolean {
    return this.#problem === BEING_ASKED;
  }

  /** null: gone, before anything was known of it. */
  get phone(): AndroidPhone | null {
    const { serial, hostId } = this.#options;
    const id = phoneId(hostId, this.#facts?.serialNumber ?? serial);
    this.#memory ??= this.#remember(id);
    const description = this.#facts?.description ?? {
      name: `Android phone …${serial.slice(-4)}`,
      brand: 'unknown',
      model: 'unknown',
      os_version: 'unknown',
      screen_size: '0',
      resolution: '0x0',
    };
    // What befalls a phone in use is its session's to get over; when that gives up it says so itself.
    const problem = this.#memory.session ? null : this.#problem;
    return new AndroidPhone({ id, ...description }, problem, this.#memory);
  }

  update(state: DeviceState, transport: bigint | null): void {
    const before = { state: this.#device.state, transport: this.#device.transport };
    if (state === before.state && transport === before.transport) return;
    this.#device.update(state, transport);
    this.#asking?.abort();
    this.#problem = problemOf(state) ?? BEING_ASKED;
    if (state === 'device') this.#askAgain();
    this.#options.onChange();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#asked;
  }

  /** Goes on in the background. */
  #askAgain(): void {
    this.#asking?.abort();
    this.#asking = new AbortController();
    this.#asked = this.#ask(AbortSignal.any([this.#asking.signal, this.#closing.signal]));
  }

  /** Until it has answered: a phone that boots, or hangs, is asked again, ever more seldom. */
  async #ask(signal: AbortSignal): Promise<void> {
    for (let wait = RETRY_MS; !signal.aborted; wait = Math.min(MAX_RETRY_MS, wait * 2)) {
      try {
        await this.#askOnce(signal);
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof BootingError) wait = RETRY_MS;
        else this.#options.log.info({ error }, 'a phone cannot be used yet');
        this.#setProblem((error as Error).message);
      }
      await delay(wait, undefined, { signal }).catch(() => {});
    }
  }

  /** @throws Error in words for the operator. */
  async #askOnce(signal: AbortSignal): Promise<void> {
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(DESCRIBE_TIMEOUT_MS)]);
    const facts = await describePhone(this.#device, deadline);
    if (facts.serialNumber !== this.#facts?.serialNumber || facts.sdk !== this.#facts.sdk)
      this.#memory = null;
    this.#facts = facts;
    if (this.#memory && !this.#memory.session) this.#memory.user = facts.user;
    const locked = await lockProblem(this.#device, deadline);
    if (locked) throw new Error(locked);
    await this.#options.serverFile(signal);
    if (!signal.aborted) this.#setProblem(null);
  }

  #setProblem(problem: string | null): void {
    if (problem === this.#problem) return;
    this.#problem = problem;
    this.#options.onChange();
  }

  #remember(id: string): PhoneMemory {
    const { journalFolder, screen, allowShell, log, serverFile, onChange } = this.#options;
    return {
      device: this.#device,
      journal: new Journal(join(journalFolder, `${id}.json`), this.#device, log),
      sdk: this.#facts?.sdk ?? 0,
      user: this.#facts?.user ?? 0,
      screen,
      allowShell,
      log,
      serverFile,
      encoder: null,
      session: null,
      onReleased: onChange,
      onTrouble: () => {
        if (this.#device.state === 'device') this.#askAgain();
      },
    };
  }
}

/** The same for a host and a phone wherever it is plugged in, and no way back to the serial. */
function phoneId(hostId: string, serialNumber: string): string {
  return `and-${createHash('sha256').update(`${hostId}\n${serialNumber}`).digest('hex').slice(0, 12)}`;
}
