import { DEFAULT_DURATION_MINUTES } from '../../contract/http/session.ts';
import { toSession } from '../../control-plane/views/session-view.ts';
import type { PhoneFilter } from '../../store/queue/phone-queue.ts';
import { timeOrderedId } from '../../util/ids.ts';
import { addedParts, idempotency } from '../idempotency.ts';
import { implement } from '../implement.ts';
import { borrowAsStream } from './borrow-stream.ts';

export const borrowPhone = implement('sessions.borrow', async (context, call) => {
  const { body, principal } = call;
  const minutes = body.duration ?? DEFAULT_DURATION_MINUTES;
  const appId = body.app_id ?? null;
  const { record, record_text } = body;
  const filter: PhoneFilter = {
    brand: body.brand?.toLowerCase() ?? '',
    osVersion: body.os_version ?? '',
    model: body.model ?? '',
  };
  const request = {
    sessionId: timeOrderedId('ses_'),
    accountId: principal.accountId,
    keyId: principal.keyId,
    minutes,
    appId,
    record: record ?? null,
    recordText: record_text ?? false,
    idempotency: idempotency(call.idempotencyKey, [
      ...['borrow', filter, minutes, appId],
      ...addedParts({ record, record_text: record_text || undefined }),
    ]),
    filter,
  };
  const options = {
    waitSeconds: body.wait ?? 0,
    disconnected: call.whenDisconnected(),
    audit: call.audit,
    client: call.trace,
  };
  if (call.wantsEvents) return borrowAsStream(context, request, options, call);
  return toSession(context, await context.borrowQueue.borrow(request, options), principal);
});
