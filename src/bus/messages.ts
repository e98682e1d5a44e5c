import type { DeviceDescription } from '../contract/device.ts';
import type { AppStatus, EndReason, SessionStatus } from '../contract/session.ts';

/** What a host says of one phone. The same shape as the store takes it, which validates nothing it need not. */
export interface PhoneStatus {
  description: DeviceDescription;
  usable: boolean;
  problem: string | null;
  cleanEpoch: number | null;
  lease: { sessionId: string; epoch: number; connected: boolean; app: AppReport | null } | null;
}

/** What has become of the app that a lease is to have: of which request, how far, and why it failed. */
export interface AppReport {
  request: number;
  status: AppStatus;
  error: string | null;
}

/** What a host should be doing with one phone: serve this lease, or be clean up to the epoch. */
export interface PhoneOrder {
  deviceId: string;
  epoch: number;
  /** Up to where the rows hold the phone to be clean; null: the sender did not look. */
  cleanEpoch: number | null;
  lease: { sessionId: string; epoch: number; remainingMs: number; app: AppRequest | null } | null;
}

/** The app last asked for in a session. The number grows with each request, so that one may be asked for again. */
export interface AppRequest {
  appId: string;
  request: number;
}

/** Topics that anyone may listen to. */
export interface BusMessages {
  /** A session was created, connected, extended or ended: look at its row. */
  'session.changed': {
    sessionId: string;
    hostId: string;
    status: SessionStatus;
    endReason: EndReason | null;
  };
}

/**
 * Questions and commands, each to one who serves that name at that address. What a host says is addressed with the
 * host's own id and served at ANY_ADDRESS: the broker lets a host use no other, so its messages need not name it.
 */
export interface BusRequests {
  /** Host to control plane (address: the host's own id): its heartbeat, every 2 s and on every change. */
  'control-plane.report': {
    request: { hostName: string; complete: boolean; phones: PhoneStatus[] };
    response: { orders: PhoneOrder[] };
  };
  /** Host to control plane (address: the host's own id): a session ended on the host's side. */
  'control-plane.ended': {
    request: { sessionId: string; epoch: number; reason: EndReason; detail: string | null };
    response: Record<string, never>;
  };
  /** Control plane to one host (address: host id): do this now rather than at the next heartbeat. */
  'host.orders': { request: { orders: PhoneOrder[] }; response: Record<string, never> };
  /** Gateway to one host: dial this gateway and carry this session's bytes. */
  'host.dial': {
    request: {
      sessionId: string;
      epoch: number;
      purpose: 'stream' | 'control';
      /** Where the gateway takes links in, and what proves that it was this host it asked. */
      ingest: string;
      ticket: string;
    };
    response: Record<string, never>;
  };
  /** Control plane to one host: the screen as PNG, base64. */
  'host.screenshot': { request: { sessionId: string; epoch: number }; response: { png: string } };
}
