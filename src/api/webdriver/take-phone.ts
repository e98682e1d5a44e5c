import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../../contract/http/errors.ts';
import { DEFAULT_DURATION_MINUTES } from '../../contract/http/session.ts';
import { refusalError } from '../../control-plane/refusal-errors.ts';
import { publishSession } from '../../control-plane/session-changes.ts';
import type { AuditEvent } from '../../store/audit/audit-store.ts';
import type { SessionRow } from '../../store/entities.ts';
import { timeOrderedId } from '../../util/ids.ts';
import type { WantedSession } from '../../webdriver/protocol/capabilities.ts';
import type { ApiContext } from '../context.ts';
import type { WebDriverCaller } from './authenticate.ts';

/** Interval at which the chosen devices are tried again while they are in use. */
const RETRY_MS = 500;
/** Maximum number of devices among which one is chosen by name or kind. */
const MAX_CANDIDATES = 100;

export interface TakeOptions {
  caller: WebDriverCaller;
  audit: AuditEvent;
  disconnected: AbortSignal;
}

/** Borrows the phone of the first capabilities for which one is available. Only the last may wait. @throws ApiError */
export async function takePhone(
  context: ApiContext,
  wanted: WantedSession[],
  options: TakeOptions,
): Promise<{ row: SessionRow; given: WantedSession }> {
  for (const [at, given] of wanted.entries()) {
    const isLast = at === wanted.length - 1;
    try {
      const row = await take(context, { ...given, waitSeconds: isLast ? given.waitSeconds : 0 }, options);
      return { row, given };
    } catch (error) {
      const isTaken =
        error instanceof ApiError && (error.kind === 'deviceUnavailable' || error.kind === 'deviceNotFound');
      if (!isTaken || isLast) throw error;
    }
  }
  throw new Error('the list of capabilities is empty');
}

async function take(context: ApiContext, wanted: WantedSession, options: TakeOptions): Promise<SessionRow> {
  if (wanted.deviceId !== null) return takeOneOf(context, wanted, options, async () => [wanted.deviceId!]);
  const isChosen = wanted.kind !== null || wanted.device !== null || wanted.group !== null;
  if (isChosen) return takeOneOf(context, wanted, options, () => candidates(context, wanted, options));
  const { brand, osVersion } = wanted;
  const filter = { brand: brand ?? '', osVersion: osVersion ?? '', model: '' };
  return context.borrowQueue.borrow(
    { ...commandOf(wanted, options), filter },
    { waitSeconds: wanted.waitSeconds, disconnected: options.disconnected, audit: options.audit },
  );
}

/**
 * The available devices with the wanted kind and group, and with the wanted name, model or id. If none is available,
 * only one of them: its refusal has the reason, and a request that waits must not try all devices twice a second.
 */
async function candidates(
  { store }: ApiContext,
  { device, kind, group, brand, osVersion }: WantedSession,
  { caller: { accountId } }: TakeOptions,
): Promise<string[]> {
  const filters = {
    ...(brand && { brand }),
    ...(osVersion && { os_version: osVersion }),
    ...(kind && { kind }),
    ...(group && { group }),
  };
  const { items } = await store.listDevices({ accountId, ...filters, page: 1, pageSize: MAX_CANDIDATES });
  const name = device?.toLowerCase();
  const matching = items.filter(
    (one) => name === undefined || [one.name, one.model, one.id].some((text) => text.toLowerCase() === name),
  );
  if (matching.length === 0)
    throw new ApiError(
      'deviceNotFound',
      'no phone matches appium:deviceName, appium:platformVersion, brand, kind and group',
    );
  const available = matching.filter(({ status }) => status === 'available');
  return (available.length > 0 ? available : matching.slice(0, 1)).map(({ id }) => id);
}

async function takeOneOf(
  context: ApiContext,
  wanted: WantedSession,
  options: TakeOptions,
  find: () => Promise<string[]>,
): Promise<SessionRow> {
  const until = performance.now() + wanted.waitSeconds * 1000;
  for (;;) {
    let refused: unknown;
    for (const deviceId of await find()) {
      const command = { ...commandOf(wanted, options), deviceId };
      const outcome = await context.store.connect(command, options.audit);
      if (outcome.ok) {
        publishSession(context, outcome.session);
        return outcome.session;
      }
      refused = refusalError(outcome.refusal, deviceId, wanted.appId);
      if (outcome.refusal.why !== 'device-unavailable') throw refused;
    }
    const left = until - performance.now();
    if (left <= 0) throw refused;
    await delay(Math.min(RETRY_MS, left), undefined, { signal: options.disconnected });
  }
}

const commandOf = ({ minutes, appId, record, recordText }: WantedSession, { caller }: TakeOptions) => ({
  sessionId: timeOrderedId('ses_'),
  accountId: caller.accountId,
  keyId: caller.keyId,
  minutes: minutes ?? DEFAULT_DURATION_MINUTES,
  appId,
  record,
  recordText,
  idempotency: null,
});
