import type { EndReason } from './session.ts';

/** WebSocket close codes of both sockets (4000 to 4999 are for applications, RFC 6455 section 7.4.2). */
export const CLOSE = {
  ended: 1000,
  invalidData: 1007,
  policy: 1008,
  tooBig: 1009,
  internal: 1011,
  restart: 1012,
  expired: 4001,
  idle: 4002,
  released: 4003,
  deviceLost: 4004,
  couldNotStart: 4005,
  tooSlow: 4008,
  takenOver: 4009,
} as const;

export type CloseCode = (typeof CLOSE)[keyof typeof CLOSE];

const BY_REASON: Record<EndReason, { code: CloseCode; reason: string }> = {
  client: { code: CLOSE.ended, reason: 'the session was ended by its client' },
  expired: { code: CLOSE.expired, reason: 'the session reached its time limit' },
  idle: { code: CLOSE.idle, reason: 'nobody used the session for too long' },
  start_failed: { code: CLOSE.couldNotStart, reason: 'the phone could not be started' },
  start_timeout: { code: CLOSE.couldNotStart, reason: 'the phone did not start in time' },
  device_lost: { code: CLOSE.deviceLost, reason: 'the phone was lost' },
  host_lost: { code: CLOSE.deviceLost, reason: 'the phone’s host was lost' },
  admin: { code: CLOSE.released, reason: 'the session was ended by an operator' },
};

/** How a session's sockets are closed when it ends for this reason. The text fits a close frame (123 bytes). */
export function closeFor(reason: EndReason): { code: CloseCode; reason: string } {
  return BY_REASON[reason];
}
