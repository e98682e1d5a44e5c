import type { Device } from '../../contract/http/device.ts';
import type { Session } from '../../contract/http/session.ts';

export interface SessionView {
  session: Session;
  device: Device | undefined;
  name: string;
}
