import type { Device } from '../../contract/device.ts';
import type { Session } from '../../contract/session.ts';

export interface SessionView {
  session: Session;
  device: Device | undefined;
  name: string;
}
