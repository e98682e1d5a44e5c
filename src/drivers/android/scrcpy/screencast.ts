import { setTimeout as delay } from 'node:timers/promises';
import { decodePacket, packetType, RESET_VIDEO } from '../../../contract/sockets/stream-packets.ts';
import type { Log } from '../../../util/log.ts';
import type { AdbDevice } from '../adb/adb-device.ts';
import { AdbError } from '../adb/adb-socket.ts';
import { bootIdOf } from '../phone-description.ts';
import type { DeviceMessage } from './device-messages.ts';
import { listEncoders } from './encoders.ts';
import { installServer } from './install-server.ts';
import { PacketBuffer } from './packet-buffer.ts';
import { ScrcpyRun, type ScreenSettings } from './run.ts';
import type { ScrcpyServerFile } from './server-file.ts';

export interface ScreencastOptions {
  device: AdbDevice;
  file: ScrcpyServerFile;
  screen: ScreenSettings;
  log: Log;
  /** The encoder that worked last time; null: the phone's default. */
  encoder: string | null;
  /** The identifier of the boot in which the session began; empty: not reported. */
  bootId: string;
  /** How long the phone may be absent from adb before it is lost, in milliseconds. */
  absenceMs: number;
  onMessage: (message: DeviceMessage) => void;
  onResize: (size: { width: number; height: number }) => void;
  onRefusedInput: () => void;
}

const FIRST_FRAME_TIMEOUT_MS = 8_000;
/**
 * A reset makes the phone restart its stream. Requests within this time of the last reset are combined into one at
 * its end.
 */
const KEYFRAME_PAUSE_MS = 500;
/** The session is lost if the phone is offline, or the adb server is unavailable, for this long. */
const RECOVERY_MS = 20_000;
const RETRY_MS = 500;
/** A server that ends within this time, `MAX_SHORT_LIVES` times in a row, is not started again. */
const SHORT_LIFE_MS = 10_000;
const MAX_SHORT_LIVES = 5;

/**
 * A phone's screen and controls for the duration of one session. If the scrcpy server or the adb server is killed,
 * the scrcpy server is started again, and the stream continues with a new keyframe.
 */
export class Screencast {
  /** Resolves when the phone is lost; never rejects. */
  readonly lost: Promise<{ detail: string }>;
  encoder: string | null;
  readonly #options: ScreencastOptions;
  readonly #closing = new AbortController();
  readonly #lost = Promise.withResolvers<{ detail: string }>();
  readonly #hold = new PacketBuffer();
  #size = { width: 0, height: 0 };
  #restarted = false;
  #run: ScrcpyRun | null = null;
  #supervision: Promise<void> = Promise.resolve();
  #firstFrame = Promise.withResolvers<void>();
  #lastReset = Number.NEGATIVE_INFINITY;
  #reset: NodeJS.Timeout | null = null;

  private constructor(options: ScreencastOptions) {
    this.#options = options;
    this.encoder = options.encoder;
    this.lost = this.#lost.promise;
  }

  /** Resolves when the first frame has arrived. @throws AdbError with the phone's message. */
  static async open(options: ScreencastOptions, signal: AbortSignal): Promise<Screencast> {
    const cast = new Screencast(options);
    try {
      const run = await cast.#start(signal);
      cast.#supervision = cast.#supervise(run);
      return cast;
    } catch (error) {
      await cast.close();
      throw error;
    }
  }

  /** The video's size in pixels. */
  get size(): { width: number; height: number } {
    return this.#size;
  }

  onPacket(listener: (packet: Uint8Array) => void): void {
    if (!this.#hold.release(listener)) this.requestKeyframe();
  }

  /** Sends one control message. Returns false if the phone cannot receive one now. */
  send(message: Uint8Array): boolean {
    return this.#run?.send(message) ?? false;
  }

  requestKeyframe(): void {
    if (this.#reset || this.#closing.signal.aborted) return;
    const wait = Math.max(0, this.#lastReset + KEYFRAME_PAUSE_MS - performance.now());
    this.#reset = setTimeout(() => {
      this.#reset = null;
      this.#lastReset = performance.now();
      this.send(RESET_VIDEO);
    }, wait);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    if (this.#reset) clearTimeout(this.#reset);
    this.#run?.close();
    await this.#supervision;
  }

  /**
   * Starts with the encoder that worked last time, or else the phone's default. If that fails, tries each encoder of
   * the phone.
   */
  async #start(signal: AbortSignal): Promise<ScrcpyRun> {
    const { device, file, log } = this.#options;
    const path = await installServer(device, file, signal);
    let complaint: unknown;
    try {
      return await this.#startWith(this.encoder, path, signal);
    } catch (error) {
      signal.throwIfAborted();
      if (device.state !== 'device') throw error;
      complaint = error;
    }
    for (const encoder of await listEncoders(device, path, signal)) {
      if (encoder === this.encoder) continue;
      log.info({ encoder, error: complaint }, 'phone sent no video; trying its next encoder');
      try {
        const run = await this.#startWith(encoder, path, signal);
        this.encoder = encoder;
        return run;
      } catch {
        signal.throwIfAborted();
      }
    }
    throw complaint;
  }

  async #startWith(encoder: string | null, path: string, signal: AbortSignal): Promise<ScrcpyRun> {
    const { device, screen, log, onMessage, onRefusedInput } = this.#options;
    this.#firstFrame = Promise.withResolvers<void>();
    const onPacket = (packet: Uint8Array) => this.#take(packet);
    const run = await ScrcpyRun.start(
      { device, path, screen, encoder, onPacket, onMessage, onRefusedInput, log },
      signal,
    );
    const over = run.ended.then((complaint) => {
      throw new AdbError(
        complaint || 'the scrcpy server exited before its first frame; try again, or restart the phone',
      );
    });
    const late = new AbortController();
    const deadline = delay(FIRST_FRAME_TIMEOUT_MS, undefined, {
      signal: AbortSignal.any([late.signal, signal]),
    }).then(() => {
      throw new AdbError('the phone sent no video in time; try again, or restart the phone');
    });
    try {
      await Promise.race([this.#firstFrame.promise, over, deadline]);
    } catch (error) {
      run.close();
      throw error;
    } finally {
      over.catch(() => {});
      deadline.catch(() => {});
      late.abort();
    }
    this.#run = run;
    return run;
  }

  #take(packet: Uint8Array): void {
    const type = packetType(packet);
    if (type === 'session') this.#resize(packet);
    this.#hold.push(packet);
    if (type === 'keyframe') this.#firstFrame.resolve();
  }

  #resize(packet: Uint8Array): void {
    const decoded = decodePacket(packet);
    if (decoded.type !== 'session') return;
    const { width, height } = decoded;
    const first = this.#size.width === 0;
    const changed = width !== this.#size.width || height !== this.#size.height;
    this.#size = { width, height };
    if (changed && !first) this.#options.onResize(this.#size);
  }

  async #supervise(first: ScrcpyRun): Promise<void> {
    const { signal } = this.#closing;
    let startedAt = performance.now();
    let shortLives = 0;
    let complaint = await first.ended;
    while (!signal.aborted) {
      this.#run = null;
      shortLives = performance.now() - startedAt < SHORT_LIFE_MS ? shortLives + 1 : 1;
      this.#options.log.warn({ complaint }, 'scrcpy server exited during a session; restarting it');
      const run = shortLives > MAX_SHORT_LIVES ? null : await this.#recover(signal);
      if (signal.aborted) return run?.close();
      if (!run) return this.#lost.resolve({ detail: this.#whyLost(complaint) });
      startedAt = performance.now();
      complaint = await run.ended;
    }
  }

  /** Resolves with null if the phone is lost. */
  async #recover(closing: AbortSignal): Promise<ScrcpyRun | null> {
    const { device, bootId, absenceMs, log } = this.#options;
    const signal = AbortSignal.any([closing, AbortSignal.timeout(RECOVERY_MS)]);
    for (let wait = 0; device.absentForMs < absenceMs && !signal.aborted; wait = RETRY_MS) {
      try {
        await delay(wait, undefined, { signal });
        if (device.state !== 'device') continue;
        // A restart of the phone ended everything that ran in the session.
        this.#restarted = (await bootIdOf(device, signal)) !== bootId;
        if (this.#restarted) return null;
        return await this.#start(signal);
      } catch (error) {
        if (!signal.aborted) log.info({ err: error }, 'scrcpy server could not be restarted');
      }
    }
    return null;
  }

  #whyLost(complaint: string): string {
    const { state } = this.#options.device;
    if (this.#restarted) return 'the phone restarted';
    if (state === 'gone') return 'the phone was unplugged or restarted';
    if (state === 'server-away') return 'the adb server became unavailable';
    if (state === 'device')
      return `the phone's screen could not be captured: ${complaint || 'no reason given'}`;
    return 'the phone went offline';
  }
}
