import { randomBytes } from 'node:crypto';
import { DEFAULT_DURATION_MINUTES } from '../../contract/session.ts';
import { orderHost } from '../hosts/order.ts';
import { idempotency } from '../idempotency.ts';
import { announce, implement } from '../implement.ts';
import { refusalError } from '../refuse.ts';
import { toSession } from '../session-view.ts';

export const connectDevice = implement('devices.connect', async (context, call) => {
  const { store, bus } = context;
  const deviceId = call.params.device_id;
  const minutes = call.body.duration ?? DEFAULT_DURATION_MINUTES;
  const appId = call.body.app_id ?? null;
  const outcome = await store.connect({
    sessionId: `ses_${randomBytes(16).toString('base64url')}`,
    deviceId,
    accountId: call.principal.accountId,
    keyId: call.principal.keyId,
    minutes,
    appId,
    idempotency: idempotency(call.idempotencyKey, [deviceId, minutes, appId]),
  });
  if (!outcome.ok) throw refusalError(outcome.refusal, deviceId, appId);
  const { session, replayed } = outcome;
  if (!replayed) {
    announce(bus, session);
    orderHost(context, session);
  }
  return toSession(context, session);
});
