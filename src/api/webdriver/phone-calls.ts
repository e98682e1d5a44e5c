import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';
import { Compile, type Validator } from 'typebox/compile';
import { BusError } from '../../bus/bus.ts';
import { type AutomationCommand, type BusRequests, NOT_SERVED } from '../../bus/messages.ts';
import { controlDeadlineMs } from '../../contract/sockets/control-deadlines.ts';
import {
  CONTROL_METHODS,
  type ControlParams,
  type ControlResult,
  PARAM_PATTERN_WORDS,
  type PhoneMethod,
} from '../../contract/sockets/control-methods.ts';
import { CONTROL_NOTIFICATIONS } from '../../contract/sockets/control-notifications.ts';
import type { ControlPlaneContext } from '../../control-plane/context.ts';
import { sanitiseText } from '../../control-plane/hosts/sanitise.ts';
import type { SessionRow } from '../../store/entities.ts';
import type { LogLine } from '../../webdriver/phone.ts';
import { invalidArgument, WebDriverError } from '../../webdriver/protocol/errors.ts';

type CallRequest = Omit<BusRequests['host.call']['request'], 'sessionId' | 'epoch'>;
type CallResponse = BusRequests['host.call']['response'];
export type AppiumPart = NonNullable<CallResponse['appium']>;
export type Automation = NonNullable<CallResponse['automation']>;

/** Deadline of a request that performs no method. */
const TOUCH_MS = 5_000;
/** Hosts give up a few seconds earlier, because NATS does not transfer a later response. */
const MAX_CALL_MS = 60_000;
/** Maximum size of a result. A host is another machine, and could send more. */
const MAX_RESULT_BYTES = 16 * 1024 * 1024;

const logLine = Compile(CONTROL_NOTIFICATIONS['log.line'].params);
const inflate = promisify(inflateRaw);
const validators = new Map<PhoneMethod, Validator>();

/** Calls the host that serves a session. */
export class PhoneCalls {
  private readonly bus: ControlPlaneContext['bus'];
  private readonly session: SessionRow;

  constructor({ bus }: Pick<ControlPlaneContext, 'bus'>, session: SessionRow) {
    this.bus = bus;
    this.session = session;
  }

  /** Starts or replaces the automation of the lease. */
  begin(automation: Automation): Promise<CallResponse> {
    return this.send({ automation }, TOUCH_MS);
  }

  async end(): Promise<void> {
    await this.send({ automation: null, release: true }, TOUCH_MS);
  }

  release(): Promise<CallResponse> {
    return this.send({ release: true }, TOUCH_MS);
  }

  /**
   * Reads the automation, and counts as a sign of life. `command` is kept in the history of the lease.
   * @throws WebDriverError when there is none
   */
  async touch(command?: AutomationCommand): Promise<CallResponse & { automation: Automation }> {
    return live(await this.send({ ...(command && { command }) }, TOUCH_MS));
  }

  /** Completes a command in the history. That is for display only, so a lost message has no other effect. */
  complete(command: AutomationCommand): void {
    this.send({ command }, TOUCH_MS).catch(() => {});
  }

  /** The latest commands, newest first. @throws WebDriverError when the host does not serve the session */
  async history(): Promise<AutomationCommand[]> {
    const { history = [] } = await this.send({ history: true }, TOUCH_MS);
    return history;
  }

  /** @throws WebDriverError when the parameters are invalid, or the phone rejects the call or does not answer */
  async call<M extends PhoneMethod>(method: M, params: ControlParams<M>): Promise<ControlResult<M>> {
    const checked = checkParams(method, params);
    const deadlineMs = Math.min(controlDeadlineMs('gateway', method, checked as object), MAX_CALL_MS);
    const response = live(await this.send({ method, params: checked }, deadlineMs));
    return (await resultOf(response, method)) as ControlResult<M>;
  }

  /** Performs a method without a WebDriver session. @throws WebDriverError as `call` does */
  async callDirectly<M extends PhoneMethod>(method: M, params: ControlParams<M>): Promise<ControlResult<M>> {
    const deadlineMs = controlDeadlineMs('gateway', method);
    const response = await this.send({ method, params, isDirect: true }, deadlineMs);
    if (response.error || response.result !== undefined || response.packed !== undefined)
      return (await resultOf(response, method)) as ControlResult<M>;
    throw new WebDriverError('unknown error', 'the host of this phone runs an earlier version; upgrade it');
  }

  /** The lines of the phone's log since the last call. The first call starts the log. @throws WebDriverError */
  async takeLog(): Promise<LogLine[]> {
    const response = live(await this.send({ log: true }, controlDeadlineMs('gateway', 'log.start')));
    const lines = await resultOf(response, 'log.start');
    const valid = Array.isArray(lines) ? lines.filter((line): line is LogLine => logLine.Check(line)) : [];
    // An app may write anything to the log.
    return valid.map(({ time, level, tag, message }) => ({
      time,
      level: sanitiseText(level),
      tag: sanitiseText(tag),
      message: sanitiseText(message),
    }));
  }

  /** One request of those that fetch a response of Appium. @throws WebDriverError when Appium does not respond */
  async appium(request: NonNullable<CallRequest['appium']>): Promise<AppiumPart> {
    const { error, appium } = live(await this.send({ appium: request }, MAX_CALL_MS));
    if (error)
      throw new WebDriverError(
        error.kind === 'unsupported' ? 'unsupported operation' : 'unknown error',
        sanitiseText(error.message),
      );
    if (appium) return appium;
    throw new WebDriverError(
      'unsupported operation',
      'the host of this phone runs an earlier version, which has no Appium server; upgrade it',
    );
  }

  private async send(request: CallRequest, timeoutMs: number): Promise<CallResponse> {
    const { id: sessionId, epoch, hostId } = this.session;
    try {
      return await this.bus.request('host.call', hostId, { sessionId, epoch, ...request }, { timeoutMs });
    } catch (error) {
      if (error instanceof BusError) throw explain(error);
      throw error;
    }
  }
}

function live(response: CallResponse): CallResponse & { automation: Automation } {
  if (response.automation) return { ...response, automation: response.automation };
  throw new WebDriverError(
    'invalid session id',
    'the WebDriver session has ended: it was deleted, or no command arrived within newCommandTimeout',
  );
}

function explain({ kind, message: cause }: BusError): WebDriverError {
  if (kind === 'failed' && cause.includes(NOT_SERVED))
    return new WebDriverError(
      'invalid session id',
      'the host does not serve this session; it has ended or is not connected yet',
    );
  if (kind === 'timeout')
    return new WebDriverError(
      'timeout',
      'the phone did not answer in time; look at its screen before you try again',
    );
  if (kind === 'no-responder')
    return new WebDriverError(
      'unknown error',
      'the host of the phone does not serve WebDriver commands: it is disconnected, or it runs an earlier version and has to be upgraded',
    );
  const message =
    kind === 'failed'
      ? 'the command did not reach the phone: it is too large, or too many are in progress; try again shortly'
      : 'the host of the phone cannot be reached; try again shortly';
  return new WebDriverError('unknown error', message, { status: 503, headers: { 'retry-after': '2' } });
}

async function resultOf({ error, result, packed, capabilities }: CallResponse, method: PhoneMethod) {
  if (!error) return decode(result, packed);
  const isSupported = error.kind !== 'unsupported' && capabilities.includes(method);
  throw new WebDriverError(
    isSupported ? 'unknown error' : 'unsupported operation',
    sanitiseText(error.message),
  );
}

/** A host is another machine, and could send anything. */
async function decode(result: string | undefined, packed: string | undefined): Promise<unknown> {
  try {
    return JSON.parse(packed === undefined ? (result ?? 'null') : await unpack(packed));
  } catch {
    throw new WebDriverError(
      'unknown error',
      'the host of the phone sent an invalid response; upgrade the host',
    );
  }
}

const unpack = async (packed: string) =>
  String(await inflate(Buffer.from(packed, 'base64'), { maxOutputLength: MAX_RESULT_BYTES }));

/** Hosts rely on parameters that match the contract. */
function checkParams(method: PhoneMethod, params: unknown): unknown {
  let validator = validators.get(method);
  if (!validator) {
    validator = Compile(CONTROL_METHODS[method].params);
    validators.set(method, validator);
  }
  if (validator.Check(params)) return validator.Default(params);
  const [error] = validator.Errors(params);
  const field = error?.instancePath.slice(1) || 'params';
  const pattern =
    error?.keyword === 'pattern' ? PARAM_PATTERN_WORDS[error.params.pattern.toString()] : undefined;
  throw invalidArgument(`${field} ${pattern ? `must be ${pattern}` : (error?.message ?? 'is not valid')}`);
}
