import { addAbortListener } from 'node:events';
import type { Socket } from 'node:net';
import { runInTime, startDeadline, TimeoutError } from '../../../util/deadline.ts';
import { isLoopback } from '../../../util/loopback.ts';
import {
  AdbError,
  type AdbServerAddress,
  type AdbSocketOptions,
  openAdbSocket,
  readAndClose,
  readExactly,
  readText,
} from './adb-socket.ts';
import { type FileContent, pushFile } from './push-file.ts';
import { type ShellListener, ShellProcess } from './shell-process.ts';
import { failureOf, type ShellResult } from './shell-result.ts';

/** A phone's state as an adb server reports it. `gone`: not listed; `server-away`: no server answers. */
export type DeviceState =
  | 'device'
  | 'unauthorized'
  | 'offline'
  | 'no-permissions'
  | 'other'
  | 'gone'
  | 'server-away';

const OPEN_TIMEOUT_MS = 5_000;
const RESTART_TIMEOUT_MS = 3_000;
const SHELL_TIMEOUT_MS = 10_000;
const PUSH_TIMEOUT_MS = 20_000;
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * One phone of an adb server, identified by its serial. The server assigns a new transport each time the phone is
 * plugged in. A connection opened through one transport never reaches the phone after it is plugged in again.
 */
export class AdbDevice {
  readonly serial: string;
  readonly #address: AdbServerAddress;
  #state: DeviceState = 'gone';
  #transport: bigint | null = null;
  #goneAt: number | null = null;

  constructor(address: AdbServerAddress, serial: string) {
    this.#address = address;
    this.serial = serial;
  }

  /** The adb server that lists the phone. */
  get server(): AdbServerAddress {
    return this.#address;
  }

  get state(): DeviceState {
    return this.#state;
  }

  /** The server's number for the current connection of the phone; null when there is none. */
  get transport(): bigint | null {
    return this.#transport;
  }

  /** Milliseconds since adb last listed the phone; 0 while it does. */
  get absentForMs(): number {
    return this.#goneAt === null ? 0 : performance.now() - this.#goneAt;
  }

  /**
   * Whether the adb server is on this machine and can therefore connect to a port that only this machine can reach.
   */
  get isServerHere(): boolean {
    return isLoopback(this.#address.host);
  }

  update(state: DeviceState, transport: bigint | null): void {
    if (state === this.#state && transport === this.#transport) return;
    if (state !== this.#state) this.#goneAt = state === 'gone' ? performance.now() : null;
    this.#state = state;
    this.#transport = transport;
  }

  /**
   * Opens a socket to one of the phone's services, such as `localabstract:scrcpy`. It is paused, and the caller must
   * destroy it. If `timeoutMs` is null, only the signal limits the time.
   * @throws AdbError, also when it takes longer than `timeoutMs`, or the signal's reason.
   */
  async open(
    service: string,
    signal: AbortSignal,
    { timeoutMs = OPEN_TIMEOUT_MS, ...options }: AdbSocketOptions & { timeoutMs?: number | null } = {},
  ): Promise<Socket> {
    const transport = this.#present();
    const services = [`host:transport-id:${transport}`, service];
    if (timeoutMs === null) return openAdbSocket(this.#address, services, signal, options);
    try {
      return await runInTime(timeoutMs, signal, (inTime) =>
        openAdbSocket(this.#address, services, inTime, options),
      );
    } catch (error) {
      if (signal.aborted || !(error instanceof TimeoutError)) throw error;
      throw new AdbError(`the phone opened no connection within ${timeoutMs / 1000} s`);
    }
  }

  /** The feature list of the phone's daemon: `shell_v2,cmd,…`. @throws AdbError, or the signal's reason */
  async features(signal: AbortSignal): Promise<string> {
    return this.#read(`host-transport-id:${this.#present()}:features`, signal);
  }

  /** Restarts the phone, as `adb reboot` does. */
  async restart(signal: AbortSignal): Promise<void> {
    const socket = await this.open('reboot:', signal);
    // The daemon keeps the socket open until the phone goes down, or sends the reason for a failure.
    const deadline = AbortSignal.any([signal, AbortSignal.timeout(RESTART_TIMEOUT_MS)]);
    await readAndClose(socket, (answer) => readExactly(answer, 1), deadline).catch(() => {});
    signal.throwIfAborted();
  }

  /**
   * The ports and names on this host that are forwarded to the phone (`adb forward`).
   * @throws AdbError, or the signal's reason
   */
  async forwards(signal: AbortSignal): Promise<string[]> {
    const lines = (await this.#read('host:list-forward', signal)).split('\n');
    return lines
      .map((line) => line.split(' '))
      .flatMap(([serial, local]) => (serial === this.serial && local ? [local] : []));
  }

  async removeForward(local: string, signal: AbortSignal): Promise<void> {
    const service = `host-transport-id:${this.#present()}:killforward:${local}`;
    const open = (inTime: AbortSignal) => openAdbSocket(this.#address, [service], inTime);
    (await runInTime(OPEN_TIMEOUT_MS, signal, open)).destroy();
  }

  /** Starts a command, which runs until it ends or is killed. */
  async spawn(line: string, listener: ShellListener, signal: AbortSignal): Promise<ShellProcess> {
    try {
      return new ShellProcess(await this.open(`shell,v2,raw:${line}`, signal), listener);
    } catch (error) {
      // The adb server's message for a service that the phone does not have.
      if (!(error instanceof AdbError) || error.message !== 'closed') throw error;
      throw new AdbError('the phone did not open a shell; Android 7 or newer is required');
    }
  }

  /**
   * Runs a command to its end, whatever its exit code.
   * @throws AdbError when it takes longer than `timeoutMs`, prints more than 64 MiB, or the connection is lost.
   */
  async shell(
    line: string,
    { signal, timeoutMs = SHELL_TIMEOUT_MS }: { signal: AbortSignal; timeoutMs?: number },
  ): Promise<ShellResult> {
    const output: Buffer[] = [];
    const errors: Buffer[] = [];
    let size = 0;
    const keep = (parts: Buffer[]) => (data: Buffer) => {
      size += data.length;
      if (size > MAX_OUTPUT_BYTES) process.kill();
      else parts.push(data);
    };
    const process = await this.spawn(line, { onOutput: keep(output), onError: keep(errors) }, signal);
    let late = false;
    const kill = () => process.kill();
    const stopDeadline = startDeadline(timeoutMs, () => {
      late = true;
      kill();
    });
    signal.addEventListener('abort', kill, { once: true });
    const exitCode = await process.exited;
    stopDeadline();
    signal.removeEventListener('abort', kill);
    signal.throwIfAborted();
    if (late)
      throw new AdbError(`the phone did not finish ${name(line)} within ${timeoutMs / 1000} s; try again`);
    if (size > MAX_OUTPUT_BYTES)
      throw new AdbError(`the output of ${name(line)} exceeds the limit of 64 MiB`);
    if (exitCode === null)
      throw new AdbError(`the connection to the phone was lost during ${name(line)}; try again`);
    return { exitCode, stdout: Buffer.concat(output), stderr: Buffer.concat(errors).toString('utf8') };
  }

  /**
   * Runs a command that must succeed, and returns its standard output.
   * @throws AdbError with the phone's message when the command fails, and as `shell` does.
   */
  async output(line: string, options: { signal: AbortSignal; timeoutMs?: number }): Promise<string> {
    const result = await this.shell(line, options);
    const failure = failureOf(result);
    if (failure !== null) throw new AdbError(`${name(line)} failed on the phone: ${failure}`);
    return result.stdout.toString('utf8');
  }

  /**
   * Writes a file on the phone, and creates its parent folders. If `timeoutMs` is null, only the signal limits the
   * time.
   * @throws AdbError
   */
  async push(
    path: string,
    content: FileContent,
    signal: AbortSignal,
    timeoutMs: number | null = PUSH_TIMEOUT_MS,
  ): Promise<void> {
    const socket = await this.open('sync:', signal);
    const deadline = timeoutMs === null ? signal : AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    using _aborting = addAbortListener(deadline, () => socket.destroy());
    try {
      await pushFile(socket, path, content);
    } finally {
      socket.destroy();
    }
  }

  /** The answer of the adb server to a request for a text. */
  #read(service: string, signal: AbortSignal): Promise<string> {
    return runInTime(OPEN_TIMEOUT_MS, signal, async (inTime) =>
      readAndClose(await openAdbSocket(this.#address, [service], inTime), readText, inTime),
    );
  }

  #present(): bigint {
    if (this.#state === 'device' && this.#transport !== null) return this.#transport;
    throw new AdbError(`the phone is not connected to adb (${this.#state}); reconnect it, or restart it`);
  }
}

/** The program of a command line, for messages. The arguments are omitted because they may come from a client. */
function name(line: string): string {
  return line.split(' ', 2).join(' ');
}
