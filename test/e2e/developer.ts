import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { until } from '../black-box/kit/wait.ts';
import { AdbServerProcess } from '../fixtures/phone-double/adb-server.ts';
import { end, type Launched, launch } from '../fixtures/process.ts';

const ADB_TIMEOUT_MS = 60_000;

export interface AdbResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** A running `phonebooth adb` process. */
export class Tunnel {
  readonly address: string;
  readonly launched: Launched;

  private constructor(launched: Launched, address: string) {
    this.launched = launched;
    this.address = address;
  }

  /**
   * Starts the command and waits until the tunnel is ready. `env` contains the address and key of the service.
   * @throws Error with the command's output if it exits instead
   */
  static async open(env: Record<string, string>, sessionId: string): Promise<Tunnel> {
    const launched = launch(['adb', sessionId, '--json'], env);
    const line = await until('the local port', () => {
      if (launched.isOver()) throw new Error(launched.output());
      return /^(.+)\n/.exec(launched.stdout())?.[1];
    });
    return new Tunnel(launched, (JSON.parse(line) as { address: string }).address);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await end(this.launched.child, 'SIGTERM');
  }
}

/** A developer's machine, with a separate adb server from those of the hosts. */
export class Developer implements AsyncDisposable {
  readonly #server: AdbServerProcess;

  private constructor(server: AdbServerProcess) {
    this.#server = server;
  }

  static async start(): Promise<Developer> {
    return new Developer(await AdbServerProcess.start());
  }

  /** Runs an adb command. A failed command does not throw. */
  adb(...args: string[]): Promise<AdbResult> {
    const { promise, resolve } = Promise.withResolvers<AdbResult>();
    const options = { env: this.environment, timeout: ADB_TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 };
    execFile('adb', args, options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr });
    });
    return promise;
  }

  /** Starts an adb command that runs until it is stopped. */
  start(...args: string[]): { output(): string; stop(): Promise<void> } {
    const child = spawn('adb', args, { env: this.environment, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
      });
    }
    return {
      output: () => output,
      stop: async () => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const exited = once(child, 'close');
        child.kill('SIGKILL');
        await exited;
      },
    };
  }

  /** Connects adb to the phone. Resolves when the phone is online. */
  async connect({ address }: { address: string }): Promise<void> {
    await this.adb('connect', address);
    await until('the phone to be online', async () => (await this.stateOf({ address })) === 'device');
  }

  /** The phone's state according to `adb devices`, or undefined if it is not listed. */
  async stateOf({ address }: { address: string }): Promise<string | undefined> {
    const { stdout } = await this.adb('devices');
    return stdout
      .split('\n')
      .find((line) => line.startsWith(`${address}\t`))
      ?.split('\t')[1];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
  }

  /** Environment in which a program's adb uses this developer's adb server. */
  get environment(): NodeJS.ProcessEnv {
    return { ...process.env, ANDROID_ADB_SERVER_PORT: String(this.#server.port) };
  }
}
