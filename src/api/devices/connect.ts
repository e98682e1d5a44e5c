import { createHash, randomBytes } from 'node:crypto';
import { ApiError } from '../../contract/errors.ts';
import { DEFAULT_DURATION_MINUTES } from '../../contract/session.ts';
import { orderHost } from '../hosts/order.ts';
import { announce, implement } from '../implement.ts';
import { refusalError } from '../refuse.ts';
import { toSession } from '../session-view.ts';

export const connectDevice = implement('devices.connect', async (context, call) => {
  const { store, bus } = context;
  const deviceId = call.params.device_id;
  const minutes = call.body.duration ?? DEFAULT_DURATION_MINUTES;
  const appId = call.body.app_id ?? null;
  if (appId !== null) throw new ApiError('appNotFound', `app ${JSON.stringify(appId)} does not exist`);

  const outcome = await store.connect({
    sessionId: `ses_${randomBytes(16).toString('base64url')}`,
    deviceId,
    accountId: call.principal.accountId,
    keyId: call.principal.keyId,
    minutes,
    appId,
    idempotency: call.idempotencyKey
      ? { key: call.idempotencyKey, fingerprint: fingerprint([deviceId, minutes, appId]) }
      : null,
  });
  if (!outcome.ok) throw refusalError(outcome.refusal, deviceId);
  const { session, replayed } = outcome;
  if (!replayed) {
    announce(bus, session);
    orderHost(context, session);
  }
  return toSession(context, session);
});

/** What makes two requests the same request. */
function fingerprint(parts: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
