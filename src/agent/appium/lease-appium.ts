import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import type { BusRequests } from '../../bus/messages.ts';
import { DriverError } from '../../drivers/driver.ts';
import type { Log } from '../../util/log.ts';
import {
  type AppiumCommand,
  AppiumError,
  type AppiumResponse,
  AppiumServer,
  freePort,
} from './appium-server.ts';

type AppiumRequest = NonNullable<BusRequests['host.call']['request']['appium']>;
type AppiumPart = NonNullable<BusRequests['host.call']['response']['appium']>;

/** How long one message of the bus waits for the response of Appium. NATS transfers no answer after a minute. */
const WAIT_MS = 40_000;
/** Longer than the deadline of a command in the api process. */
const COMMAND_MS = 340_000;
/** Bytes of a response in one message. In base64, they fit into the largest message of a bus. */
const PART_BYTES = 480 * 1024;
const MAX_COMMANDS = 8;
const MAX_BODY_BYTES = 1024 * 1024;

const inflate = promisify(inflateRaw);

interface RunningCommand {
  settled: Promise<void>;
  outcome: { response: AppiumResponse } | { error: unknown } | null;
}

export interface LeaseAppiumOptions {
  /** How to start Appium; null: this host does not have it. */
  command: AppiumCommand | null;
  /** The capabilities with which a driver finds this phone. They replace those of the client. */
  capabilities: Record<string, unknown>;
  log: Log;
}

/**
 * The Appium server of one lease. A command may take longer, and its response may be larger, than a message of the bus
 * allows, so the response is fetched with several requests.
 */
export class LeaseAppium implements AsyncDisposable {
  private readonly options: LeaseAppiumOptions;
  private readonly commands = new Map<string, RunningCommand>();
  private readonly ending = new Set<Promise<void>>();
  private server: Promise<AppiumServer> | null = null;
  private closing = new AbortController();

  constructor(options: LeaseAppiumOptions) {
    this.options = options;
  }

  /** @throws DriverError with a message for the client */
  async take(request: AppiumRequest): Promise<AppiumPart> {
    const { id, offset = 0 } = request;
    const command = this.commands.get(id) ?? (await this.begin(request));
    const timeout = Promise.withResolvers<void>();
    const timer = setTimeout(timeout.resolve, WAIT_MS);
    await Promise.race([command.settled, timeout.promise]);
    clearTimeout(timer);
    if (!command.outcome) return { isRunning: true };
    if ('error' in command.outcome) {
      this.commands.delete(id);
      throw new DriverError('failed', messageOf(command.outcome.error));
    }
    const { status, body } = command.outcome.response;
    const part = body.subarray(offset, offset + PART_BYTES);
    if (offset + part.length >= body.length) this.commands.delete(id);
    return { isRunning: false, status, bytes: body.length, part: part.toString('base64') };
  }

  /** Ends the server without waiting for it. A later session may start another. */
  end(): void {
    this.closing.abort();
    this.closing = new AbortController();
    this.commands.clear();
    const { server } = this;
    this.server = null;
    if (!server) return;
    const ended = server
      .then((one) => one[Symbol.asyncDispose]())
      .catch((error: unknown) => this.options.log.warn({ err: error }, 'Appium server could not be ended'))
      .finally(() => this.ending.delete(ended));
    this.ending.add(ended);
  }

  /** Resolves when no process of Appium is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.end();
    await Promise.all(this.ending);
  }

  private async begin({ id, method, path, body }: AppiumRequest): Promise<RunningCommand> {
    if (!this.options.command)
      throw new DriverError(
        'unsupported',
        'the host of this phone has no Appium server; its operator can set PHONEBOOTH_APPIUM',
      );
    if (!method || !path) throw new DriverError('failed', 'the response of Appium is no longer available');
    const finished = [...this.commands].find(([, { outcome }]) => outcome)?.[0];
    if (this.commands.size >= MAX_COMMANDS && finished !== undefined) this.commands.delete(finished);
    if (this.commands.size >= MAX_COMMANDS)
      throw new DriverError(
        'failed',
        'too many commands are running on this phone; wait for a response first',
      );
    const isNew = method === 'POST' && path === '/session';
    if (isNew) this.end();
    const command: RunningCommand = { settled: Promise.resolve(), outcome: null };
    this.commands.set(id, command);
    const signal = AbortSignal.any([this.closing.signal, AbortSignal.timeout(COMMAND_MS)]);
    const run = async () => {
      if (isNew) this.server = AppiumServer.start(this.options.command!, this.options.log);
      if (!this.server) throw new AppiumError('this session has no Appium server; create another session');
      const sent = body === undefined ? null : await unpacked(body);
      const bytes = isNew ? await this.withOwnCapabilities(sent) : sent;
      return (await this.server).request({ method, path, body: bytes }, signal);
    };
    command.settled = run().then(
      (response) => {
        command.outcome = { response };
      },
      (error: unknown) => {
        command.outcome = { error };
      },
    );
    return command;
  }

  /** A client must not choose the phone, or the ports of the host. */
  private async withOwnCapabilities(body: Buffer | null): Promise<Buffer> {
    const { capabilities } = JSON.parse(body?.toString('utf8') ?? '{}') as { capabilities?: unknown };
    const ports = {
      'appium:systemPort': await freePort(),
      'appium:mjpegServerPort': await freePort(),
      'appium:chromedriverPort': await freePort(),
    };
    const alwaysMatch = { ...(capabilities as object), ...ports, ...this.options.capabilities };
    return Buffer.from(JSON.stringify({ capabilities: { alwaysMatch, firstMatch: [{}] } }));
  }
}

const unpacked = (body: string) =>
  inflate(Buffer.from(body, 'base64'), { maxOutputLength: MAX_BODY_BYTES }) as Promise<Buffer>;

const messageOf = (error: unknown): string =>
  error instanceof AppiumError
    ? error.message
    : 'the command could not be sent to the Appium server; the log of its host says why';
