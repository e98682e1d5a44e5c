import { implement } from '../implement.ts';
import { deviceNotFound } from '../refuse.ts';
import { toDevice } from './device-view.ts';

export const getDevice = implement('devices.get', async ({ store }, { params, principal }) => {
  const device = await store.getDevice(params.device_id, principal.accountId);
  if (!device) throw deviceNotFound(params.device_id);
  return toDevice(device);
});
