import type { Bus } from '../bus/bus.ts';
import { ERRORS } from '../contract/http/errors.ts';
import type { ControlParams, ControlResult } from '../contract/sockets/control-methods.ts';
import { noMeter } from '../control-plane/context.ts';
import { publishSession } from '../control-plane/session-changes.ts';
import type { ExtendRefusal } from '../domain/refusals.ts';
import { STORE_TIMEOUT_MS } from '../gateway/upgrade-authenticator.ts';
import { SESSION_ENDED } from '../gateway/upgrade-rejection.ts';
import type { AuditEvent } from '../store/audit/audit-store.ts';
import type { SessionRow } from '../store/entities.ts';
import type { Store } from '../store/store.ts';
import { withDeadline } from '../util/deadline.ts';
import type { Log } from '../util/log.ts';
import { checkParams } from './check-params.ts';
import { RpcError } from './json-rpc.ts';

/**
 * Performs `session.extend`.
 * @throws RpcError; `data.code` is the HTTP API's code for the same error
 * @throws StoreUnavailableError
 * @throws TimeoutError
 */
export async function extendSession(
  deps: { store: Pick<Store, 'extend' | 'getArtifactRoom'>; bus: Bus; log: Log; maxDurationMinutes: number },
  sessionId: string,
  params: unknown,
  audit?: AuditEvent,
): Promise<{ session: SessionRow; result: ControlResult<'session.extend'> }> {
  const { duration } = checkParams('session.extend', params) as ControlParams<'session.extend'>;
  const { store, maxDurationMinutes } = deps;
  const command = { sessionId, minutes: duration, maxMinutes: maxDurationMinutes };
  const outcome = await withDeadline(
    store.extend(command, audit),
    STORE_TIMEOUT_MS,
    'the database did not answer; read expires_at of the session to see whether it was extended',
  );
  if (!outcome)
    throw refused('the session does not exist; borrow a phone in a new session', ERRORS.sessionNotFound.code);
  if (!outcome.ok) throw refusalError(outcome.refusal);
  const { session } = outcome;
  const { expiresAt, minutesReserved } = session;
  // An extension ends no session, so there is nothing to count.
  publishSession({ ...deps, meter: noMeter }, session);
  const result = { expires_at: new Date(expiresAt).toISOString(), minutes_reserved: minutesReserved };
  return { session, result };
}

const refused = (message: string, code: number) => new RpcError('failedOnPhone', message, { code });

function refusalError(refusal: ExtendRefusal): RpcError {
  switch (refusal.why) {
    case 'ended':
      return refused(SESSION_ENDED, ERRORS.sessionEnded.code);
    case 'too-long': {
      const message = `must not extend the session beyond ${refusal.maxMinutes} minutes in total`;
      const errors = [{ field: 'params.duration', message }];
      return new RpcError('invalidParams', `params.duration ${message}`, {
        code: ERRORS.invalid.code,
        errors,
      });
    }
    case 'quota': {
      const { kind, limit, used, requested } = refusal.shortfall;
      return new RpcError(
        'failedOnPhone',
        `insufficient quota: ${used} of ${limit} ${kind} are used, and ${requested} more were requested; request fewer`,
        { code: ERRORS.quotaExceeded.code, ...refusal.shortfall },
      );
    }
  }
}
