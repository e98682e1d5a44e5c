import { ApiError } from '../../../contract/http/errors.ts';
import { deviceNotFound } from '../../../control-plane/refusal-errors.ts';
import { implement } from '../../implement.ts';

const NOT_NOW = {
  'in-use': ['in_use', 'the device is in use; end its session first'],
  present: [
    'present',
    'the host of the device still reports it and would add it again; disconnect the device from its host first',
  ],
} as const;

export const deleteDevice = implement('admin.devices.delete', async ({ store }, { params, audit }) => {
  const outcome = await store.deleteDevice(params.device_id, audit);
  if (!outcome) throw deviceNotFound(params.device_id);
  if (outcome === 'forgotten') return {};
  const [reason, message] = NOT_NOW[outcome];
  throw new ApiError('deviceUnavailable', message, { reason });
});
