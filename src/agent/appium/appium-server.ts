import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { MAX_APPIUM_RESPONSE_BYTES } from '../../bus/messages.ts';
import type { Log } from '../../util/log.ts';

/** How to start Appium on this host. */
export interface AppiumCommand {
  /** Path of the `appium` program. */
  command: string;
  /** All environment variables of the server. The settings of the agent, with their secrets, are not among them. */
  env: Record<string, string>;
}

export interface AppiumResponse {
  status: number;
  body: Buffer;
}

const START_MS = 60_000;
const POLL_MS = 200;
/** Time between SIGTERM and SIGKILL. A driver uses it to stop what it started on the phone. */
const GRACE_MS = 5_000;
const MAX_CONNECTIONS = 8;
/** The last output is logged when the server ends unexpectedly. */
const MAX_OUTPUT = 4_096;

/**
 * Runs the server in its own process group. The group ends with the server, and when the pipe at descriptor 3 closes,
 * which it does however the agent ends. Processes do not inherit handlers of signals, so TERM reaches all others.
 */
const SUPERVISOR = `
trap : TERM
( trap '' TERM; read _; kill -TERM 0; sleep "$GRACE_S"; kill -KILL 0 ) <&3 &
exec 3<&-
"$@"
kill -KILL 0
`;

/** An Appium server for one session, at a dedicated port on the loopback interface. */
export class AppiumServer implements AsyncDisposable {
  private readonly child: ChildProcess;
  private readonly exited: Promise<unknown>;
  private readonly agent = new Agent({ keepAlive: true, maxSockets: MAX_CONNECTIONS });
  private readonly port: number;
  private readonly stopping = new AbortController();
  private readonly ready: Promise<void>;
  private output = '';
  private hasExited = false;

  private constructor({ command, env }: AppiumCommand, port: number, log: Log) {
    this.port = port;
    const server = ['server', '--address', '127.0.0.1', '--port', String(port), '--base-path', '/'];
    const words = ['-c', SUPERVISOR, 'sh', command, ...server, '--log-no-colors', '--log-level', 'error'];
    this.child = spawn('/bin/sh', words, {
      env: { ...env, GRACE_S: String(GRACE_MS / 1000) },
      // Creates the process group.
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    });
    for (const stream of [this.child.stdout!, this.child.stderr!])
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.output = (this.output + text).slice(-MAX_OUTPUT);
      });
    // The pipe breaks when the group ends.
    this.child.stdio[3]!.on('error', () => {});
    this.exited = new Promise<void>((resolve) => {
      this.child.once('exit', () => resolve());
      this.child.once('error', (error) => {
        this.output = error.message;
        resolve();
      });
    }).then(() => {
      this.hasExited = true;
      if (!this.stopping.signal.aborted)
        log.warn({ output: this.output }, 'Appium server ended unexpectedly');
    });
    this.ready = this.untilReady();
    this.ready.catch(() => {});
  }

  /** Starts the server. Its first request waits until it is ready. */
  static async start(command: AppiumCommand, log: Log): Promise<AppiumServer> {
    return new AppiumServer(command, await freePort(), log);
  }

  /** @throws AppiumError when the server has ended or does not respond */
  async request(
    options: { method: string; path: string; body: Buffer | null },
    signal: AbortSignal,
  ): Promise<AppiumResponse> {
    await this.ready;
    const until = AbortSignal.any([signal, this.stopping.signal]);
    try {
      return await this.send(options, until);
    } catch (error) {
      if (error instanceof AppiumError) throw error;
      // The connection may break shortly before the process is known to have ended.
      if (!until.aborted) await Promise.race([this.exited, delay(1_000)]);
      throw this.hasExited ? ended() : new AppiumError('the Appium server of this session did not answer');
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stopping.abort();
    this.agent.destroy();
    // The supervisor then sends SIGTERM, and SIGKILL after the grace period.
    this.child.stdio[3]?.destroy();
    const { pid } = this.child;
    if (pid === undefined) return;
    const killed = AbortSignal.timeout(GRACE_MS + 1_000);
    await Promise.race([this.exited, once(killed, 'abort')]);
    if (this.hasExited) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // The group has ended in the meantime.
    }
    await this.exited;
  }

  private async untilReady(): Promise<void> {
    const deadline = performance.now() + START_MS;
    const status = { method: 'GET', path: '/status', body: null };
    for (;;) {
      if (this.hasExited) throw ended();
      if (this.stopping.signal.aborted || performance.now() > deadline)
        throw new AppiumError(`the Appium server of this session did not start within ${START_MS / 1000} s`);
      const found = await this.send(status, AbortSignal.timeout(POLL_MS * 10)).catch(() => null);
      if (found?.status === 200) return;
      await Promise.race([this.exited, delay(POLL_MS)]);
    }
  }

  private async send(
    { method, path, body }: { method: string; path: string; body: Buffer | null },
    signal: AbortSignal,
  ): Promise<AppiumResponse> {
    const headers = body && { 'content-type': 'application/json', 'content-length': body.length };
    const asked = request({
      host: '127.0.0.1',
      port: this.port,
      method,
      path,
      agent: this.agent,
      signal,
      ...(headers && { headers }),
    });
    asked.end(body ?? undefined);
    const [response] = await once(asked, 'response');
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > MAX_APPIUM_RESPONSE_BYTES) {
        asked.destroy();
        throw new AppiumError(`the response of Appium has more than ${MAX_APPIUM_RESPONSE_BYTES} bytes`);
      }
    }
    return { status: response.statusCode, body: Buffer.concat(chunks) };
  }
}

/** An error whose message reaches the client. */
export class AppiumError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'AppiumError';
  }
}

const ended = () =>
  new AppiumError('the Appium server of this session ended unexpectedly; create another session');

/** A port that is free now. The server fails to start if another program takes it first. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
