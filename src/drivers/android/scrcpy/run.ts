import { randomInt } from 'node:crypto';
import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { withDeadline } from '../../../util/deadline.ts';
import type { Log } from '../../../util/log.ts';
import type { AdbDevice } from '../adb/adb-device.ts';
import { AdbError, readExactly } from '../adb/adb-socket.ts';
import { shellLine } from '../adb/quote.ts';
import { ReusedChunks } from '../adb/reused-chunks.ts';
import type { ShellProcess } from '../adb/shell-process.ts';
import { type DeviceMessage, DeviceMessageReader } from './device-messages.ts';
import { SCRCPY_VERSION } from './server-file.ts';
import { VideoReader } from './video-reader.ts';

export interface ScreenSettings {
  /** The longer side of the video in pixels; 0: the screen's own size. */
  maxSize: number;
  /** Frames per second. */
  maxFps: number;
  /** Bits per second. */
  bitRate: number;
}

export interface RunOptions {
  device: AdbDevice;
  /** Path of the server's file on the phone. */
  path: string;
  /** Null: only the control socket, without a screen. */
  screen: ScreenSettings | null;
  /** Null: the phone's default encoder. */
  encoder: string | null;
  /** Receives the packets of the video, encoded in layout v4. */
  onPacket: (packet: Uint8Array) => void;
  onMessage: (message: DeviceMessage) => void;
  /** Called when the phone did not allow the server to inject an event. */
  onRefusedInput?: () => void;
  log: Log;
}

/** Same number as in scrcpy's own client: the server needs some time until it listens. */
const CONNECT_ATTEMPTS = 100;
const CONNECT_PAUSE_MS = 100;
const FIRST_BYTE_TIMEOUT_MS = 5_000;
const FINISH_TIMEOUT_MS = 1_000;
const DEVICE_NAME_BYTES = 64;
/** Maximum number of bytes that may wait in the control socket while the phone does not read. */
const MAX_CONTROL_BACKLOG_BYTES = 1024 * 1024;
const MAX_COMPLAINTS = 20;

/** One run of the scrcpy server on a phone, with its sockets. Closing it ends the server. */
export class ScrcpyRun {
  /** Resolves with the server's last error message when the run is over, for whatever reason. Never rejects. */
  readonly ended: Promise<string>;
  readonly #process: ShellProcess;
  readonly #complaints: string[];
  readonly #over = Promise.withResolvers<string>();
  #sockets: Socket[] = [];
  #control: Socket | null = null;

  private constructor(process: ShellProcess, complaints: string[]) {
    this.#process = process;
    this.#complaints = complaints;
    this.ended = this.#over.promise;
    void process.exited.then(() => this.close());
  }

  /** @throws AdbError with the server's error message, or the signal's reason. */
  static async start(options: RunOptions, signal: AbortSignal): Promise<ScrcpyRun> {
    const scid = randomInt(1, 0x7fff_ffff).toString(16).padStart(8, '0');
    const complaints: string[] = [];
    const listener = {
      onOutput: (data: Buffer) => note(data, options, complaints),
      onError: (data: Buffer) => note(data, options, complaints),
    };
    const process = await options.device.spawn(commandLine(options, scid), listener, signal);
    const run = new ScrcpyRun(process, complaints);
    try {
      await run.#connect(options, `localabstract:scrcpy_${scid}`, signal);
      return run;
    } catch (error) {
      run.close();
      signal.throwIfAborted();
      const complaint = await run.ended;
      throw complaint ? new AdbError(complaint) : error;
    }
  }

  /** Returns false if the phone's backlog is full, or the run is over. */
  send(message: Uint8Array): boolean {
    const socket = this.#control;
    if (!socket?.writable || socket.writableLength > MAX_CONTROL_BACKLOG_BYTES) return false;
    socket.write(message);
    return true;
  }

  /** Ends the server by closing its sockets. Resolves with its last error message. */
  async finish(): Promise<string> {
    for (const socket of this.#sockets) socket.removeAllListeners('close').destroy();
    await this.#closeAfterExit();
    return this.ended;
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#process.kill();
    this.#over.resolve(this.#complaints.at(-1) ?? '');
  }

  /**
   * The sockets of a server that exits can close before its last error message arrives, over another stream of adb. A
   * server that does not exit in time is killed.
   */
  async #closeAfterExit(): Promise<void> {
    await withDeadline(this.#process.exited, FINISH_TIMEOUT_MS, 'the scrcpy server did not exit').catch(
      () => {},
    );
    this.close();
  }

  /**
   * Opens the sockets in the server's order: video, control. The server sends a single byte and the phone's name on
   * the first one.
   */
  async #connect(options: RunOptions, service: string, signal: AbortSignal): Promise<void> {
    // Only for video: its reader copies each chunk, while the reader of control messages keeps parts of chunks
    const chunks = options.screen ? new ReusedChunks() : undefined;
    const first = await this.#firstSocket(options.device, service, chunks, signal);
    const control = chunks ? await this.#open(options.device, service, signal) : first;
    await readExactly(first, DEVICE_NAME_BYTES);
    this.#control = control;
    const messages = new DeviceMessageReader();
    const onControl = this.#checked((chunk) => {
      for (const message of messages.push(chunk)) options.onMessage(message);
    });
    control
      .on('data', onControl)
      .on('close', () => void this.#closeAfterExit())
      .resume();
    if (!chunks) return;
    const reader = new VideoReader(options.onPacket);
    first.on('close', () => void this.#closeAfterExit());
    chunks.deliver(
      first,
      this.#checked((chunk) => reader.push(chunk)),
    );
  }

  /** Ends the run when `take` reports that the bytes are malformed. */
  #checked(take: (chunk: Buffer) => void): (chunk: Buffer) => void {
    return (chunk) => {
      try {
        take(chunk);
      } catch (error) {
        if (!(error instanceof RangeError)) throw error;
        this.#complaints.push(error.message);
        this.close();
      }
    };
  }

  async #firstSocket(
    device: AdbDevice,
    service: string,
    chunks: ReusedChunks | undefined,
    signal: AbortSignal,
  ): Promise<Socket> {
    let over = false;
    void this.ended.then(() => {
      over = true;
    });
    for (let attempt = 1; ; attempt++) {
      try {
        const socket = await this.#open(device, service, signal, chunks);
        const timer = setTimeout(() => socket.destroy(), FIRST_BYTE_TIMEOUT_MS);
        await readExactly(socket, 1).finally(() => clearTimeout(timer));
        return socket;
      } catch (error) {
        signal.throwIfAborted();
        if (over)
          throw new AdbError('the scrcpy server exited before it listened; try again, or restart the phone');
        if (attempt === CONNECT_ATTEMPTS || device.state !== 'device') throw error;
        await delay(CONNECT_PAUSE_MS, undefined, { signal });
      }
    }
  }

  async #open(
    device: AdbDevice,
    service: string,
    signal: AbortSignal,
    chunks?: ReusedChunks,
  ): Promise<Socket> {
    const socket = await device.open(service, signal, { chunks });
    this.#sockets = [...this.#sockets.filter((other) => !other.destroyed), socket];
    return socket;
  }
}

/**
 * Source: scrcpy server/.../Options.java (3.3.3). `cleanup` is off because the server's own clean-up would delete its
 * file each time.
 */
function commandLine({ path, screen, encoder }: RunOptions, scid: string): string {
  const settings: Record<string, string | number> = {
    scid,
    log_level: 'info',
    audio: 'false',
    tunnel_forward: 'true',
    cleanup: 'false',
    ...(screen
      ? { max_size: screen.maxSize, max_fps: screen.maxFps, video_bit_rate: screen.bitRate }
      : { video: 'false', power_on: 'false' }),
    ...(encoder ? { video_encoder: encoder } : {}),
  };
  return serverLine(path, Object.entries(settings));
}

/**
 * The command that runs the server's main class. It uses `exec` because adbd only kills the shell when the connection
 * is closed, and a server without a connection would wait forever.
 */
export function serverLine(path: string, settings: [string, string | number][]): string {
  const words = settings.map(([key, value]) => `${key}=${value}`);
  return `export CLASSPATH=${shellLine(path)}; exec ${shellLine('app_process', '/', 'com.genymobile.scrcpy.Server', SCRCPY_VERSION, ...words)}`;
}

/**
 * Records the server's error messages. A rejected event appears as the stack trace of a SecurityException after
 * `ERROR: Could not invoke method` (scrcpy server/.../wrappers/InputManager.java).
 */
function note(data: Buffer, { log, onRefusedInput }: RunOptions, complaints: string[]): void {
  const text = data.toString('utf8');
  if (text.includes('INJECT_EVENTS')) onRefusedInput?.();
  for (const line of text.split('\n')) {
    if (!line.trim()) continue;
    log.debug({ line }, 'scrcpy');
    const complaint = /ERROR: (.*)/.exec(line)?.[1];
    if (complaint) complaints.push(complaint);
    if (complaints.length > MAX_COMPLAINTS) complaints.shift();
  }
}
