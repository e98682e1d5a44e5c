import type { Device } from '../../contract/http/device.ts';
import type { Session } from '../../contract/http/session.ts';

/** The actions on a phone in the list. */
export interface DeviceActions {
  onConnect(device: Device): void;
  onWait(device: Device): void;
}

/** Props of one phone's card or row. */
export interface DeviceEntryProps extends DeviceActions {
  device: Device;
  /** The account's live session on this phone. */
  session: Session | undefined;
  isStarred: boolean;
}
