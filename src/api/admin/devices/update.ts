import { ApiError, invalidField } from '../../../contract/http/errors.ts';
import { deviceNotFound } from '../../../control-plane/refusal-errors.ts';
import { implement } from '../../implement.ts';
import { toFleetDevice } from './device-view.ts';

export const updateDevice = implement('admin.devices.update', async ({ store }, { params, body, audit }) => {
  const changed = await store.updateDevice(
    {
      deviceId: params.device_id,
      name: body.name,
      maintenance: body.maintenance,
      maintenanceNote: body.maintenance_note,
      groupId: body.group_id,
      hostId: body.host_id,
    },
    audit,
  );
  if (!changed) throw deviceNotFound(params.device_id);
  if (changed === 'no-such-group') {
    throw invalidField(
      'body.group_id',
      'is not the identifier of a group; GET /admin/groups lists the groups',
    );
  }
  if (changed === 'no-such-host') {
    throw invalidField(
      'body.host_id',
      'must be the identifier of a host that is not revoked; GET /admin/hosts lists the hosts',
    );
  }
  if (changed === 'in-use') {
    throw new ApiError(
      'deviceUnavailable',
      'a session holds the device; end the session before you move the device',
      {
        reason: 'in_use',
      },
    );
  }
  return toFleetDevice(changed);
});
