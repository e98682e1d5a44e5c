import type { PhoneMethod } from '../../contract/control-methods.ts';
import type { StreamPacket } from '../../contract/stream-packets.ts';
import type { AppPackage, DriverError, PhoneNotification } from '../driver.ts';
import type { PhoneModel } from './models.ts';

/** What a phone's thread is started with. */
export interface WorkerData {
  model: PhoneModel;
}

/** What a phone in software takes of an app: there is nothing in it to run the code. */
export type InstalledPackage = Omit<AppPackage, 'appId' | 'files'>;

/** Driver to phone. */
export type ToPhone =
  /** A session begins: the screen wakes. */
  | { type: 'open' }
  /** Packets may be sent from now on, beginning with size, config and keyframe. */
  | { type: 'stream' }
  | { type: 'keyframe' }
  /** One more packet was taken. */
  | { type: 'taken' }
  | { type: 'perform'; id: number; method: PhoneMethod; params: unknown }
  /** Progress is told under the same number, then the result. */
  | { type: 'install'; id: number; app: InstalledPackage }
  | { type: 'cancel'; id: number }
  | { type: 'inject'; bytes: Uint8Array }
  /** The session is over: nothing more is sent. */
  | { type: 'close' }
  /** Becomes a phone that nobody has had; `ready` is the answer. */
  | { type: 'reset' };

/** Phone to driver. */
export type FromPhone =
  /** A session can be opened, and nothing of an earlier one is left. */
  | { type: 'ready' }
  | { type: 'packet'; packet: StreamPacket }
  | { type: 'progress'; id: number; percent: number }
  | { type: 'result'; id: number; result: unknown }
  | { type: 'failure'; id: number; kind: DriverError['kind']; message: string }
  | { type: 'notification'; notification: PhoneNotification };

/** Packets on their way between the threads; while there are that many, no frame is drawn. */
export const MAX_PACKETS_IN_FLIGHT = 8;
