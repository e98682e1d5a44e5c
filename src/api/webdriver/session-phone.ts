import { ApiError } from '../../contract/http/errors.ts';
import type { ControlParams, ControlResult, PhoneMethod } from '../../contract/sockets/control-methods.ts';
import { refusalError } from '../../control-plane/refusal-errors.ts';
import { cropImage } from '../../control-plane/scale-image.ts';
import { publishSession } from '../../control-plane/session-changes.ts';
import { takeScreenshot } from '../../control-plane/take-screenshot.ts';
import type { AuditEvent } from '../../store/audit/audit-store.ts';
import type { SessionRow } from '../../store/entities.ts';
import type { AutomatedPhone, LogLine, Rect, SessionState, Size } from '../../webdriver/phone.ts';
import { appIdIn } from '../../webdriver/protocol/capabilities.ts';
import { WebDriverError } from '../../webdriver/protocol/errors.ts';
import { isObject } from '../../webdriver/protocol/values.ts';
import type { ApiContext } from '../context.ts';
import { reserveSlot } from '../limits/reserve-slot.ts';
import { SCREENSHOTS } from '../sessions/screenshot.ts';
import { APPIUM_SESSION } from './appium-relay.ts';
import { noSuchSession } from './authenticate.ts';
import { errorCodeOf } from './errors.ts';
import type { PhoneCalls } from './phone-calls.ts';
import { waitUntilInstalled } from './wait-for-session.ts';

export interface SessionPhoneOptions {
  context: ApiContext;
  session: SessionRow;
  calls: PhoneCalls;
  size: Size;
  /** Creates the audit event of an action of this client. */
  auditEvent: (action: string) => AuditEvent;
  signal: AbortSignal;
}

/** The phone of a session, as the commands of its WebDriver client use it. */
export class SessionPhone implements AutomatedPhone {
  readonly size: Size;
  private readonly options: SessionPhoneOptions;

  constructor(options: SessionPhoneOptions) {
    this.options = options;
    this.size = options.size;
  }

  async call<M extends PhoneMethod>(method: M, params: ControlParams<M>): Promise<ControlResult<M>> {
    this.options.signal.throwIfAborted();
    if (method !== 'shell') return this.options.calls.call(method, params);
    const { context, auditEvent, calls, session } = this.options;
    const record = (code: number) =>
      context.trail.add({ ...auditEvent('webdriver.shell'), code, subject: session.id });
    try {
      const result = await calls.call(method, params);
      await record(0);
      return result;
    } catch (error) {
      await record(errorCodeOf(error));
      throw error;
    }
  }

  async screenshot(area?: Rect): Promise<Uint8Array> {
    const { context, session } = this.options;
    using _slot = reserveSlot(SCREENSHOTS, session.accountId, 'screenshots');
    const png = await takeScreenshot(context, session).catch((error: unknown) => {
      const isFailed = error instanceof ApiError && error.kind === 'unavailable';
      throw isFailed ? new WebDriverError('unable to capture screen', error.message) : error;
    });
    return area ? await cropImage(png, area) : png;
  }

  async install(app: string): Promise<string> {
    const { context, session, auditEvent, signal } = this.options;
    const appId = appIdIn(app)!;
    const { id: sessionId, accountId } = session;
    const request = { sessionId, accountId, appId, idempotency: null };
    const outcome = await context.store.requestApp(request, auditEvent('webdriver.install'));
    if (!outcome) throw noSuchSession();
    if (!outcome.ok) throw refusalError(outcome.refusal, sessionId, appId);
    publishSession(context, outcome.session);
    await waitUntilInstalled(context, outcome.session, signal);
    return (await context.store.getApp(appId, accountId))?.packageName ?? '';
  }

  takeLog(): Promise<LogLine[]> {
    return this.options.calls.takeLog();
  }

  async release(): Promise<void> {
    await this.options.calls.release();
  }
}

/** The size of the screen: the resolution of the device, turned as its video is now. */
export function screenSize({ resolution }: SessionState, video: Size): Size {
  const [width = 1, height = 1] = resolution.split('x').map(Number);
  const isLandscape = video.width > video.height;
  return isLandscape === width > height ? { width, height } : { width: height, height: width };
}

/** The host keeps the state and could return another one. */
export function parseState(text: string): SessionState {
  const given: unknown = JSON.parse(text);
  const { resolution, implicitMs, pageLoadMs, scriptMs, appium } = (
    isObject(given) ? given : {}
  ) as Partial<SessionState>;
  return {
    resolution: typeof resolution === 'string' && /^\d{1,5}x\d{1,5}$/.test(resolution) ? resolution : '1x1',
    implicitMs: Number(implicitMs) || 0,
    pageLoadMs: Number(pageLoadMs) || 0,
    scriptMs: scriptMs === null ? null : Number(scriptMs) || 0,
    appium: typeof appium === 'string' && APPIUM_SESSION.test(appium) ? appium : null,
  };
}
