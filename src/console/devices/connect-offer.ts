import { ServiceError } from '../../client/service-error.ts';
import type { Device } from '../../contract/http/device.ts';
import { ERRORS } from '../../contract/http/errors.ts';

/**
 * What the dialog offers. connect: the phone may be available. busy and unavailable: it is not, so the user can wait for
 * one like it.
 */
export type ConnectOffer = 'connect' | 'busy' | 'unavailable';

/**
 * @param status the phone's last known status, which may be older than the response to a request
 * @param error why the last request to connect failed, or null
 */
export function connectOffer(status: Device['status'] | undefined, error: unknown): ConnectOffer {
  const isRefused = error instanceof ServiceError && error.code === ERRORS.deviceUnavailable.code;
  if (isRefused) return error.data.reason === 'in_use' ? 'busy' : 'unavailable';
  return status === 'busy' ? 'busy' : 'connect';
}
