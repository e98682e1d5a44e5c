import type { Device } from '../../contract/http/device.ts';
import type { Session } from '../../contract/http/session.ts';
import type { LastConnect } from './last-connect.ts';
import type { Standing } from './standing-of.ts';

/** The actions on a phone in the list. */
export interface DeviceActions {
  /** What one click on Connect repeats; null if it opens the dialog instead. */
  last: LastConnect | null;
  /** The phone that is being connected with one click, or null. */
  connectingId: string | null;
  onConnect(device: Device): void;
  /** Asks for the duration and the app first. */
  onChoose(device: Device): void;
  onWait(device: Device): void;
}

/** Props of one phone's card or row. */
export interface DeviceEntryProps extends DeviceActions {
  device: Device;
  /** The account's live session on this phone. */
  session: Session | undefined;
  standing: Standing;
  isStarred: boolean;
}
