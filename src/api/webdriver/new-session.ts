import { publishSession } from '../../control-plane/session-changes.ts';
import type { AuditEvent, AuditTarget } from '../../store/audit/audit-store.ts';
import type { SessionRow } from '../../store/entities.ts';
import type { SessionState } from '../../webdriver/phone.ts';
import { readCapabilities, type WantedSession } from '../../webdriver/protocol/capabilities.ts';
import { invalidArgument } from '../../webdriver/protocol/errors.ts';
import type { JsonObject } from '../../webdriver/protocol/values.ts';
import type { ApiContext } from '../context.ts';
import { liveSession } from '../sessions/live-session.ts';
import { startAppium } from './appium-relay.ts';
import type { WebDriverCaller } from './authenticate.ts';
import { errorCodeOf } from './errors.ts';
import { PhoneCalls } from './phone-calls.ts';
import { takePhone } from './take-phone.ts';
import { waitUntilConnected, waitUntilInstalled } from './wait-for-session.ts';

/** A driver may have to install its own app on the phone. */
const APPIUM_START_MS = 300_000;
const PAGE_LOAD_MS = 300_000;
const SCRIPT_MS = 30_000;

export interface NewSessionRequest {
  caller: WebDriverCaller;
  body: unknown;
  auditEvent: (action: string) => AuditEvent;
  disconnected: AbortSignal;
}

export interface NewSession {
  row: SessionRow;
  capabilities: Record<string, unknown>;
}

/** Starts a WebDriver session on a phone that it borrows, or on a session that exists. */
export async function newSession(context: ApiContext, request: NewSessionRequest): Promise<NewSession> {
  const event = request.auditEvent('webdriver.session');
  try {
    const wanted = readCapabilities(request.body);
    const { attachTo } = wanted[0]!;
    checkDurations(wanted, context.maxDurationMinutes);
    if (attachTo === null) return await borrow(context, wanted, request, event);
    event.action = 'webdriver.attach';
    const row = await liveSession(context, attachTo, request.caller.accountId);
    event.targets = auditTargetsOf(row);
    const session = await begin(context, row, wanted[0]!, {
      endsSession: false,
      signal: request.disconnected,
    });
    await context.trail.add({ ...event, code: 0, subject: row.id });
    return session;
  } catch (caught) {
    const error = request.disconnected.aborted ? request.disconnected.reason : caught;
    await context.trail.add({ ...event, code: errorCodeOf(error), subject: event.targets[0]?.id ?? '' });
    throw error;
  }
}

export const auditTargetsOf = ({ id, deviceId }: SessionRow): AuditTarget[] => [
  { kind: 'session', id },
  { kind: 'device', id: deviceId },
];

function checkDurations(wanted: WantedSession[], most: number): void {
  for (const { minutes } of wanted) {
    if (minutes !== null && (minutes < 1 || minutes > most))
      throw invalidArgument(`phonebooth:options.duration must be a whole number from 1 to ${most}`);
  }
}

/** Borrows a phone. The store records the audit event with the session. */
async function borrow(
  context: ApiContext,
  wanted: WantedSession[],
  { caller, disconnected }: NewSessionRequest,
  audit: AuditEvent,
): Promise<NewSession> {
  const { row, given } = await takePhone(context, wanted, { caller, audit, disconnected });
  try {
    let ready = await waitUntilConnected(context, row, disconnected);
    if (given.appId !== null) ready = await waitUntilInstalled(context, ready, disconnected);
    return await begin(context, ready, given, { endsSession: true, signal: disconnected });
  } catch (error) {
    audit.targets = auditTargetsOf(row);
    await endSession(context, row, null);
    throw error;
  }
}

async function begin(
  context: ApiContext,
  row: SessionRow,
  given: WantedSession,
  { endsSession, signal }: { endsSession: boolean; signal: AbortSignal },
): Promise<NewSession> {
  const [device] = await context.store.getDevices([row.deviceId]);
  const resolution = device?.resolution ?? '1x1';
  const state: SessionState = {
    resolution,
    implicitMs: 0,
    pageLoadMs: PAGE_LOAD_MS,
    scriptMs: SCRIPT_MS,
    appium: null,
    ...given.timeouts,
  };
  const calls = new PhoneCalls(context, row);
  const idleMs = given.commandTimeoutS * 1000;
  await calls.begin({ state: JSON.stringify(state), idleMs, endsSession });
  const reported = given.appium && (await beginAppium(calls, given.appium, signal));
  if (reported) {
    state.appium = reported.id;
    await calls.begin({ state: JSON.stringify(state), idleMs, endsSession });
  }
  const app = given.appId === null ? null : await context.store.getApp(given.appId, row.accountId);
  const packageName = given.appPackage ?? app?.packageName;
  if (packageName)
    await calls.call('app.launch', {
      package: packageName,
      ...(given.appActivity !== null && { activity: given.appActivity }),
    });
  const { 'phonebooth:options': options, ...echoed } = given.echoed;
  const ofDriver = reported?.capabilities ?? {
    platformName: 'Android',
    setWindowRect: false,
    timeouts: { implicit: state.implicitMs, pageLoad: state.pageLoadMs, script: state.scriptMs },
    'appium:automationName': 'Phonebooth',
  };
  const capabilities = {
    ...echoed,
    ...ofDriver,
    'appium:deviceName': device?.name ?? row.deviceName,
    'appium:platformVersion': device?.os_version,
    'appium:udid': row.deviceId,
    'appium:newCommandTimeout': given.commandTimeoutS,
    'phonebooth:options': {
      ...(options as object),
      session_id: row.id,
      device_id: row.deviceId,
      kind: device?.kind,
    },
  };
  return { row, capabilities };
}

/** A session that exists before this one continues if Appium does not start. */
async function beginAppium(calls: PhoneCalls, capabilities: JsonObject, signal: AbortSignal) {
  const starting = AbortSignal.any([signal, AbortSignal.timeout(APPIUM_START_MS)]);
  try {
    return await startAppium(calls, capabilities, starting);
  } catch (error) {
    await calls.end();
    throw error;
  }
}

/** Ends the session on the phone. Repeating it has no effect. */
export async function endSession(
  context: ApiContext,
  { id: sessionId, accountId }: SessionRow,
  audit: AuditEvent | null,
): Promise<void> {
  const outcome = await context.store.end({ sessionId, accountId, reason: 'client' }, audit ?? undefined);
  if (outcome?.ended) publishSession(context, outcome.session);
}
