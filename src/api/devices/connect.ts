import { DEFAULT_DURATION_MINUTES } from '../../contract/http/session.ts';
import { refusalError } from '../../control-plane/refusal-errors.ts';
import { publishSession } from '../../control-plane/session-changes.ts';
import { toSession } from '../../control-plane/views/session-view.ts';
import { timeOrderedId } from '../../util/ids.ts';
import { addedParts, idempotency } from '../idempotency.ts';
import { implement } from '../implement.ts';

export const connectDevice = implement('devices.connect', async (context, call) => {
  const deviceId = call.params.device_id;
  const minutes = call.body.duration ?? DEFAULT_DURATION_MINUTES;
  const appId = call.body.app_id ?? null;
  const { record, record_text } = call.body;
  const sessionId = timeOrderedId('ses_');
  const step = context.steps.begin('connect', sessionId, { client: call.trace });
  const outcome = await context.store.connect(
    {
      sessionId,
      deviceId,
      accountId: call.principal.accountId,
      keyId: call.principal.keyId,
      minutes,
      appId,
      record: record ?? null,
      recordText: record_text ?? false,
      idempotency: idempotency(call.idempotencyKey, [
        ...[deviceId, minutes, appId],
        ...addedParts({ record, record_text: record_text || undefined }),
      ]),
    },
    call.audit,
  );
  // A replay returns an existing session, whose step was recorded when it was created.
  if (!outcome.ok || !outcome.replayed) step.end(outcome.ok ? 'ok' : 'failed');
  if (!outcome.ok) throw refusalError(outcome.refusal, deviceId, appId);
  const { session, replayed } = outcome;
  if (!replayed) {
    publishSession(context, session);
  }
  return toSession(context, session, call.principal);
});
