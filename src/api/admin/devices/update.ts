import { implement } from '../../implement.ts';
import { deviceNotFound } from '../../refuse.ts';
import { toFleetDevice } from './device-view.ts';

export const updateDevice = implement('admin.devices.update', async ({ store }, { params, body }) => {
  const changed = await store.changeDevice({
    deviceId: params.device_id,
    name: body.name,
    maintenance: body.maintenance,
    maintenanceNote: body.maintenance_note,
  });
  if (!changed) throw deviceNotFound(params.device_id);
  return toFleetDevice(changed);
});
