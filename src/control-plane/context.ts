import type { SocketAddressContext } from '../access/socket-address.ts';
import type { Bus } from '../bus/bus.ts';
import type { TicketIssuer } from '../link/ticket-issuer.ts';
import type { Store } from '../store/store.ts';
import type { Log } from '../util/log.ts';
import type { Slots } from '../util/slots.ts';
import type { Steps } from '../util/steps.ts';
import type { AppFiles } from './apps/app-files.ts';
import type { ArtifactFiles } from './artifacts/artifact-files.ts';

/** Meter of what the control plane does. */
export interface ControlPlaneMeter {
  sessionEnded(reason: string): void;
  webhookTried(outcome: 'delivered' | 'retried' | 'dead'): void;
  artifactReceived(outcome: 'stored' | 'refused' | 'failed', bytes: number): void;
}

/** Meter that records nothing. */
export const noMeter: ControlPlaneMeter = {
  sessionEnded: () => {},
  webhookTried: () => {},
  artifactReceived: () => {},
};

/** The services that background work and requests share. */
export interface ControlPlaneContext extends SocketAddressContext {
  store: Store;
  bus: Bus;
  /** Accepts the links on which hosts send screenshots, files and artifacts, or fetch an app. */
  tickets: TicketIssuer;
  log: Log;
  steps: Steps;
  meter: ControlPlaneMeter;
  /** Storage for the files of uploaded apps. */
  appFiles: AppFiles;
  /** Storage for the content of artifacts. */
  artifactFiles: ArtifactFiles;
  /** Slots of the artifacts that hosts are uploading, by host. */
  artifactUploads: Slots;
  /** Free space to keep in the storage of apps and in that of artifacts, in bytes. */
  diskReserveBytes: number;
  /** Whether to reject reports of hosts that no operator added. */
  hostsMustBeKnown: boolean;
  /** Maximum number of devices that one host can introduce. */
  maxDevicesPerHost: number;
}
