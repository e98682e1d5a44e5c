import type { Device } from '../../contract/http/device.ts';
import type { Session } from '../../contract/http/session.ts';

/** The name of a session's phone. Only a session that an earlier version of the service created has none. */
export const nameOfPhone = ({ device_name, device_id }: Pick<Session, 'device_name' | 'device_id'>): string =>
  device_name ?? device_id;

export interface SessionView {
  session: Session;
  device: Device | undefined;
  name: string;
}
