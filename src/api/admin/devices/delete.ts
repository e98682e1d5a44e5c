import { ApiError } from '../../../contract/http/errors.ts';
import { deviceNotFound } from '../../../control-plane/refusal-errors.ts';
import { implement } from '../../implement.ts';

const NOT_NOW = {
  'in-use': ['in_use', 'the device is in use: release it first'],
  present: ['present', 'its host has the device: unplug it first, or it would come back at once'],
} as const;

export const deleteDevice = implement('admin.devices.delete', async ({ store }, { params, audit }) => {
  const outcome = await store.forgetDevice(params.device_id, audit);
  if (!outcome) throw deviceNotFound(params.device_id);
  if (outcome === 'forgotten') return {};
  const [reason, message] = NOT_NOW[outcome];
  throw new ApiError('deviceUnavailable', message, { reason });
});
