import type { EndReason } from '../http/session.ts';
import { codesOf } from './codes-of.ts';

/**
 * WebSocket close codes of both sockets (4000 to 4999 are for applications, RFC 6455 section 7.4.2), with what each
 * means to a client, and whether it should reconnect at the same address.
 */
export const CLOSE_CODES = {
  ended: { code: 1000, meaning: 'the session was disconnected', reconnect: false },
  invalidData: { code: 1007, meaning: 'too many consecutive messages were malformed', reconnect: true },
  policy: {
    code: 1008,
    meaning: 'a viewer sent something other than a keyframe request, or too many requests',
    reconnect: true,
  },
  tooBig: { code: 1009, meaning: 'a message was larger than this socket accepts', reconnect: true },
  internal: { code: 1011, meaning: 'the service failed', reconnect: true },
  restart: {
    code: 1012,
    meaning: 'this gateway is restarting; reconnect to reach another one',
    reconnect: true,
  },
  expired: { code: 4001, meaning: 'the session reached its time limit', reconnect: false },
  idle: { code: 4002, meaning: 'the session was idle for too long', reconnect: false },
  released: {
    code: 4003,
    meaning: 'an operator ended the session, or the API key or watch link of this URL is revoked or expired',
    reconnect: false,
  },
  deviceLost: { code: 4004, meaning: 'the phone or its host was lost', reconnect: false },
  couldNotStart: { code: 4005, meaning: 'the phone could not be started, or not in time', reconnect: false },
  tooSlow: {
    code: 4008,
    meaning: 'this client was repeatedly too slow to receive its data',
    reconnect: true,
  },
  takenOver: { code: 4009, meaning: 'another client took control', reconnect: false },
} as const;

/** The codes by name. */
export const CLOSE = codesOf(CLOSE_CODES);

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
