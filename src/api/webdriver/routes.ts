import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TokenKeys } from '../../access/token-keys.ts';
import type { AutomationCommand } from '../../bus/messages.ts';
import { ERRORS } from '../../contract/http/errors.ts';
import { WEBDRIVER_PATH } from '../../contract/http/webdriver.ts';
import type { AuditEvent } from '../../store/audit/audit-store.ts';
import type { SessionRow } from '../../store/entities.ts';
import { Slots } from '../../util/slots.ts';
import { Commands, type FoundCommand } from '../../webdriver/commands/commands.ts';
import { Locator } from '../../webdriver/locating/locate.ts';
import { LocatorThreads } from '../../webdriver/locating/locator-threads.ts';
import type { SessionState } from '../../webdriver/phone.ts';
import { apiKeyIn } from '../../webdriver/protocol/capabilities.ts';
import { invalidArgument, unknownCommand, WebDriverError } from '../../webdriver/protocol/errors.ts';
import { isObject } from '../../webdriver/protocol/values.ts';
import { addressOf, HOST } from '../address.ts';
import type { ApiContext } from '../context.ts';
import { codesOf } from '../errors.ts';
import { reserveSlot } from '../limits/reserve-slot.ts';
import { OpenResponses } from '../open-responses.ts';
import { parseJson } from '../read-request.ts';
import { type AppiumCall, callAppium, endAppium } from './appium-relay.ts';
import {
  authenticateKey,
  authenticateToken,
  bearerOf,
  noSuchSession,
  parseSessionId,
  sessionIdWithToken,
  type WebDriverCaller,
} from './authenticate.ts';
import { BODY_LIMIT, ClientGoneError, webDriverErrorAnswer, webDriverErrorName } from './errors.ts';
import { auditTargetsOf, endSession, newSession } from './new-session.ts';
import { PhoneCalls } from './phone-calls.ts';
import { parseState, SessionPhone, screenSize } from './session-phone.ts';

/** Limits on concurrent commands in this process, in total and per account. */
const COMMANDS = { total: 2_000, perSubject: 400 };
/** Deadline of one command: an install, and some time for what surrounds it. */
const COMMAND_MS = 330_000;
/** A command of a driver, without its arguments. */
const MOBILE = /^mobile: ?\w{1,40}$/;

type Context = ApiContext & { tokenKeys: Pick<TokenKeys, 'sign' | 'verify'> };

/** A request whose client is known. */
interface Authenticated {
  caller: WebDriverCaller;
  auditEvent: (action: string) => AuditEvent;
  disconnected: AbortSignal;
}

/**
 * Adds `/wd/hub`, the endpoint of W3C WebDriver and Appium clients. A process keeps nothing between two commands: the
 * state of a WebDriver session is on the host of the phone, so every api process can serve every command.
 */
export function addWebDriver(app: FastifyInstance, context: Context): void {
  const endpoint = new WebDriverEndpoint(context);
  app.addHook('onClose', () => endpoint[Symbol.asyncDispose]());
  app.register(async (scope) => addRoutes(scope, endpoint, context), { prefix: WEBDRIVER_PATH });
}

function addRoutes(scope: FastifyInstance, endpoint: WebDriverEndpoint, { log, trail }: Context): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (_, body, done) => {
    try {
      done(null, body.length === 0 ? {} : parseJson(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  scope.setErrorHandler(async (error, request, reply) => {
    const isNew = request.routeOptions.config.operationId === 'webdriver.session';
    const answer = webDriverErrorAnswer(error, request, { log, isNew });
    if (codesOf.get(request) === ERRORS.unauthorized.code)
      await trail.authenticationFailed({ action: 'webdriver', address: addressOf(request) });
    return reply.code(answer.status).headers(answer.headers).type('application/json').send(answer.body);
  });
  const route = (method: string | string[], url: string, operationId: string, handle: Handle) =>
    scope.route({
      method,
      url,
      bodyLimit: BODY_LIMIT,
      config: { operationId },
      handler: async (request, reply) => {
        const value = await handle(request, reply);
        return reply.type('application/json').send(JSON.stringify({ value: value ?? null }));
      },
    });
  route('GET', '/status', 'webdriver.status', async () => ({ ready: true, message: 'Phonebooth' }));
  route('POST', '/session', 'webdriver.session', (...exchange) => endpoint.create(...exchange));
  route('DELETE', '/session/:session', 'webdriver.delete', (...exchange) => endpoint.delete(...exchange));
  const methods = ['GET', 'POST', 'DELETE'];
  route(methods, '/session/:session/*', 'webdriver.command', (...exchange) => endpoint.run(...exchange));
  route([...methods, 'PUT'], '/*', 'webdriver.unknown', async () => {
    throw unknownCommand();
  });
}

type Handle = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;

/** The requests of WebDriver clients. */
class WebDriverEndpoint implements AsyncDisposable {
  private readonly context: Context;
  private readonly threads = new LocatorThreads();
  private readonly commands = new Commands(new Locator(this.threads));
  private readonly openResponses: OpenResponses;
  private readonly slots = new Slots(COMMANDS);

  constructor(context: Context) {
    this.context = context;
    this.openResponses = new OpenResponses(context.store, context.log);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.openResponses[Symbol.dispose]();
    await this.threads[Symbol.asyncDispose]();
  }

  async create(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const { context } = this;
    const header = bearerOf(request.headers.authorization);
    const ownKey = header === undefined ? apiKeyIn(request.body) : null;
    const authorization = ownKey === null ? header : `Bearer ${ownKey}`;
    const caller = await authenticateKey(context, authorization, addressOf(request), { connects: true });
    const authenticated = this.admit(caller, request, reply);
    const { row, capabilities } = await newSession(context, { ...authenticated, body: request.body });
    // WebdriverIO sends its user and key with this request only.
    const sendsHeader = /^Bearer /i.test(request.headers.authorization ?? '');
    const sessionId = sendsHeader ? row.id : sessionIdWithToken(context.tokenKeys, row, caller.keyId);
    const options = { ...(capabilities['phonebooth:options'] as object), ...consoleUrl(request, row.id) };
    return { sessionId, capabilities: { ...capabilities, 'phonebooth:options': options } };
  }

  async delete(request: FastifyRequest, reply: FastifyReply): Promise<null> {
    const { row, authenticated } = await this.authenticate(request, reply);
    const calls = new PhoneCalls(this.context, row);
    const { automation } = await calls.touch();
    const { appium } = parseState(automation.state);
    if (appium !== null) await endAppium(calls, appium);
    await calls.end();
    if (automation.endsSession)
      await endSession(this.context, row, authenticated.auditEvent('webdriver.delete'));
    return null;
  }

  async run(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    const { '*': rest } = request.params as { '*': string };
    const found = this.find(request.method, `/${rest}`);
    const { row, authenticated } = await this.authenticate(request, reply).catch((error: unknown) => {
      throw found instanceof WebDriverError ? found : error;
    });
    const name = nameOf(request, found);
    const command = { id: randomBytes(9).toString('base64url'), name, startedAt: new Date().toISOString() };
    const started = performance.now();
    let error: string | null = null;
    try {
      return await run(this.context, found, { request, row, authenticated, command });
    } catch (caught) {
      error = webDriverErrorName(caught, request);
      throw caught;
    } finally {
      const ms = Math.round(performance.now() - started);
      new PhoneCalls(this.context, row).complete({ ...command, ms, ...(error !== null && { error }) });
      this.context.log.debug({ requestId: request.id, command: name, ms }, 'WebDriver command ended');
    }
  }

  /** The built-in driver's command, or the error that it is unknown. A driver of Appium may have others. */
  private find(method: string, path: string): FoundCommand | WebDriverError {
    try {
      return this.commands.find(method, path);
    } catch (error) {
      if (error instanceof WebDriverError) return error;
      throw error;
    }
  }

  private async authenticate(request: FastifyRequest, reply: FastifyReply) {
    const { context } = this;
    const id = parseSessionId((request.params as { session: string }).session);
    const address = addressOf(request);
    const header = bearerOf(request.headers.authorization);
    const caller =
      id.token === null
        ? await authenticateKey(context, header, address, { connects: false })
        : await authenticateToken(context, id, address);
    const authenticated = this.admit(caller, request, reply);
    const row = await context.store.getSession(id.sessionId, caller.accountId);
    if (!row || row.status === 'disconnected') throw noSuchSession();
    return { row, authenticated };
  }

  /** Limits and watches a request whose client is known. */
  private admit(caller: WebDriverCaller, request: FastifyRequest, reply: FastifyReply): Authenticated {
    const slot = reserveSlot(this.slots, caller.accountId, 'WebDriver commands');
    const gone = new AbortController();
    const onClose = () => {
      slot[Symbol.dispose]();
      if (!reply.raw.writableFinished) gone.abort(new ClientGoneError());
    };
    if (reply.raw.destroyed) onClose();
    else reply.raw.once('close', onClose);
    this.openResponses.add(caller.keyId, reply.raw);
    const auditEvent = (action: string): AuditEvent => ({
      accountId: caller.accountId,
      keyId: caller.keyId,
      action,
      address: addressOf(request),
      targets: [],
    });
    return { caller, auditEvent, disconnected: gone.signal };
  }
}

interface Run {
  request: FastifyRequest;
  row: SessionRow;
  authenticated: Authenticated;
  /** For the history of the lease. */
  command: AutomationCommand;
}

async function run(
  context: Context,
  found: FoundCommand | WebDriverError,
  { request, row, authenticated, command }: Run,
) {
  const { auditEvent: eventOf, disconnected } = authenticated;
  const signal = AbortSignal.any([disconnected, AbortSignal.timeout(COMMAND_MS)]);
  const calls = new PhoneCalls(context, row);
  const { automation, width, height } = await calls.touch(command);
  const state = parseState(automation.state);
  const auditEvent = (action: string) => ({ ...eventOf(action), targets: auditTargetsOf(row) });
  const size = screenSize(state, { width, height });
  const phone = new SessionPhone({ context, session: row, calls, size, auditEvent, signal });
  const save = async (changed: SessionState) => {
    await calls.begin({ ...automation, state: JSON.stringify(changed) });
  };
  const { id: sessionId, accountId } = row;
  try {
    if (state.appium !== null && !isInstall(request))
      return await callAppium(calls, appiumCallOf(request, state.appium), signal);
    if (found instanceof WebDriverError) throw found;
    const { run: handler, params } = found;
    const body = readBody(request.body);
    return await handler({ sessionId, accountId, phone, state, save, body, params, signal });
  } catch (error) {
    disconnected.throwIfAborted();
    if (signal.aborted) throw new WebDriverError('timeout', 'the command took too long');
    throw error;
  }
}

/** A name without identifiers, texts that were typed, and other arguments, which may be secret. */
function nameOf({ method, params, body }: FastifyRequest, found: FoundCommand | WebDriverError): string {
  const { '*': rest } = params as { '*': string };
  const script = isObject(body) && rest.startsWith('execute') ? MOBILE.exec(String(body.script)) : null;
  if (script) return script[0];
  if (!(found instanceof WebDriverError)) return found.name;
  const path = /^[\w/]{1,60}$/.test(rest) ? rest.replaceAll(/[\w-]*\d[\w-]*/g, '{id}') : '{unknown}';
  return `${method} /${path}`;
}

/** The request of a client for the Appium server of its session. */
function appiumCallOf({ method, params, body }: FastifyRequest, appiumSession: string): AppiumCall {
  const { '*': rest } = params as { '*': string };
  const segments = rest.split('/');
  if (segments.some((segment) => segment === '' || segment === '.' || segment === '..'))
    throw unknownCommand();
  return {
    method: method as AppiumCall['method'],
    path: `/session/${appiumSession}/${segments.map(encodeURIComponent).join('/')}`,
    ...(method === 'POST' && { body: readBody(body) }),
  };
}

/** Drivers of Appium would read the app from the disk of the host, or from any URL. */
function isInstall({ params, body }: FastifyRequest): boolean {
  const { '*': rest } = params as { '*': string };
  const script = isObject(body) ? String(body.script) : '';
  return rest === 'appium/device/install_app' || /^mobile: *install/.test(script);
}

function readBody(body: unknown): Record<string, unknown> {
  if (body === undefined) return {};
  if (!isObject(body)) throw invalidArgument('the body must be a JSON object');
  return body;
}

/** The page on which people watch the session, at the address at which the client reaches the service. */
const consoleUrl = ({ protocol, host }: FastifyRequest, sessionId: string) =>
  HOST.test(host) ? { console_url: `${protocol}://${host}/sessions/${sessionId}` } : {};
