import type { PhoneFileFailure } from '../../contract/http/phone-file.ts';
import type { Conditions } from '../../contract/sockets/conditions.ts';
import type { PhoneMethod } from '../../contract/sockets/control-methods.ts';
import type { StreamPacket } from '../../contract/sockets/stream-packets.ts';
import type { AppPackage, DriverError, PhoneNotification } from '../driver.ts';
import type { PhoneModel } from './models.ts';
import type { StorageTask } from './storage/simulated-files.ts';

/** The start parameters of a phone's thread. */
export interface WorkerData {
  model: PhoneModel;
}

/** The part of an app that a simulated phone uses. It cannot run the app's code. */
export type InstalledPackage = Omit<AppPackage, 'appId' | 'files'>;

/** Messages from the driver to the phone. */
export type ToPhone =
  /** A session begins: the screen turns on. */
  | { type: 'open' }
  /** Packets may be sent from now on, beginning with size, config packet and keyframe. */
  | { type: 'stream' }
  | { type: 'keyframe' }
  /** One more packet has been received. */
  | { type: 'taken' }
  | { type: 'perform'; id: number; method: PhoneMethod; params: unknown }
  /** Progress is reported with the same id, then the result. */
  | { type: 'install'; id: number; app: InstalledPackage }
  | { type: 'storage'; id: number; task: StorageTask }
  | { type: 'cancel'; id: number }
  | { type: 'inject'; bytes: Uint8Array }
  /** The session is over. Nothing more is sent. */
  | { type: 'close' }
  /** Resets the phone to its initial state. The answer is `ready`. */
  | { type: 'reset' };

/** Messages from the phone to the driver. */
export type FromPhone =
  /** A session can be opened, and nothing of an earlier one is left. */
  | { type: 'ready' }
  | { type: 'packet'; packet: StreamPacket }
  | { type: 'progress'; id: number; percent: number }
  | { type: 'result'; id: number; result: unknown }
  /** `reason` is that of a PhoneFileError. */
  | { type: 'failure'; id: number; kind: DriverError['kind']; message: string; reason?: PhoneFileFailure }
  | { type: 'notification'; notification: PhoneNotification }
  /** The conditions after a command or the user has changed them. */
  | { type: 'conditions'; values: Conditions };

/** Maximum number of packets in flight between the threads. When it is reached, no frame is drawn. */
export const MAX_PACKETS_IN_FLIGHT = 8;
