import { deviceNotFound } from '../../control-plane/refusal-errors.ts';
import { toDeviceDetails } from '../../control-plane/views/device-view.ts';
import { implement } from '../implement.ts';

export const getDevice = implement('devices.get', async ({ store }, { params, principal }) => {
  const device = await store.getDevice(params.device_id, principal.accountId);
  if (!device) throw deviceNotFound(params.device_id);
  return toDeviceDetails(principal.role, device);
});
