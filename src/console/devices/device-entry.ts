import type { Device } from '../../contract/device.ts';
import type { Session } from '../../contract/session.ts';

/** What can be done with a phone in the list. */
export interface DeviceActions {
  onConnect(device: Device): void;
  onWait(device: Device): void;
}

/** All that is shown of one phone, as a card or as a row. */
export interface DeviceEntryProps extends DeviceActions {
  device: Device;
  /** The caller's own live session on this phone. */
  session: Session | undefined;
  isStarred: boolean;
}
