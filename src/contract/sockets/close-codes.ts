import type { EndReason } from '../http/session.ts';

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

/** What each code means to a client, and whether it is worth reconnecting at the same address. */
export const CLOSE_MEANINGS: Record<keyof typeof CLOSE, { meaning: string; comeBack: boolean }> = {
  ended: { meaning: 'the session was disconnected', comeBack: false },
  invalidData: { meaning: 'too many consecutive messages were malformed', comeBack: true },
  policy: {
    meaning: 'a viewer sent something other than a keyframe request, or too many requests',
    comeBack: true,
  },
  tooBig: { meaning: 'a message was larger than this socket accepts', comeBack: true },
  internal: { meaning: 'the service failed', comeBack: true },
  restart: { meaning: 'this gateway is restarting; reconnect to reach another one', comeBack: true },
  expired: { meaning: 'the session reached its time limit', comeBack: false },
  idle: { meaning: 'the session was idle for too long', comeBack: false },
  released: {
    meaning: 'an operator ended the session, or the API key or watch link of this URL is revoked or expired',
    comeBack: false,
  },
  deviceLost: { meaning: 'the phone or its host was lost', comeBack: false },
  couldNotStart: { meaning: 'the phone could not be started, or not in time', comeBack: false },
  tooSlow: { meaning: 'this client was repeatedly too slow to receive its data', comeBack: true },
  takenOver: { meaning: 'another client took control', comeBack: false },
};

export type CloseCode = (typeof CLOSE)[keyof typeof CLOSE];

const BY_REASON: Record<EndReason, { code: CloseCode; reason: string }> = {
  client: { code: CLOSE.ended, reason: 'the client ended the session' },
  expired: { code: CLOSE.expired, reason: 'the session reached its time limit' },
  idle: { code: CLOSE.idle, reason: 'the session was idle for too long' },
  start_failed: { code: CLOSE.couldNotStart, reason: 'the phone could not be started' },
  start_timeout: { code: CLOSE.couldNotStart, reason: 'the phone did not start in time' },
  device_lost: { code: CLOSE.deviceLost, reason: 'the phone was lost' },
  host_lost: { code: CLOSE.deviceLost, reason: 'the host of the phone was lost' },
  admin: {
    code: CLOSE.released,
    reason: 'the session was terminated',
  },
};

/** How a socket is closed when its session cannot be looked up at its expiry time. */
export const CLOSE_UNKNOWN = {
  code: CLOSE.internal,
  reason: 'the session could not be looked up; reconnect',
} as const;

/** Maximum length of the reason in a close frame (RFC 6455, section 5.5). */
const MAX_REASON_BYTES = 123;
const ELLIPSIS = '…';

/**
 * Returns how a session's sockets are closed when it ends for this reason. The detail is truncated to the length that
 * fits.
 */
export function closeFor(reason: EndReason, detail: string | null): { code: CloseCode; reason: string } {
  const { code, reason: words } = BY_REASON[reason];
  return { code, reason: detail === null ? words : fitted(`${words}: ${detail}`) };
}

function fitted(text: string): string {
  const encoder = new TextEncoder();
  if (encoder.encode(text).length <= MAX_REASON_BYTES) return text;
  const room = new Uint8Array(MAX_REASON_BYTES - encoder.encode(ELLIPSIS).length);
  // `encodeInto` writes whole characters only.
  return text.slice(0, encoder.encodeInto(text, room).read) + ELLIPSIS;
}
