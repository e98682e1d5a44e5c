import { ApiError } from '../../../contract/http/errors.ts';
import { deviceNotFound } from '../../../control-plane/refusal-errors.ts';
import { publishSessions } from '../../../control-plane/session-changes.ts';
import type { FleetDeviceRow } from '../../../store/devices/device-store.ts';
import { implement } from '../../implement.ts';
import { toFleetSession } from '../sessions/session-view.ts';

export const releaseDevice = implement('admin.devices.release', async (context, { params, body, audit }) => {
  const { store } = context;
  const device = await store.getFleetDevice(params.device_id);
  if (!device) throw deviceNotFound(params.device_id);
  if (!device.session) throw noSessionToRelease(device);
  const { id: sessionId, accountName, user } = device.session;
  const outcome = await store.end({ sessionId, reason: 'admin', detail: body.reason }, audit);
  if (!outcome) throw noSessionToRelease(device);
  if (outcome.ended) publishSessions(context, [outcome.session]);
  return toFleetSession({ ...outcome.session, accountName, user, deviceName: device.name });
});

/** The error for a device without a live session. It states what the operator can do. */
function noSessionToRelease({ id, condition, host }: FleetDeviceRow): ApiError {
  if (condition !== 'busy') {
    return new ApiError('sessionEnded', `device ${id} has no session to end; nothing was changed`);
  }
  return new ApiError(
    'deviceUnavailable',
    `the session has ended and the device is being cleaned; it stays busy until ${host.name} reports ` +
      'that it is clean. If the report does not arrive, set the device to maintenance and restart it',
    { reason: 'cleaning' },
  );
}
