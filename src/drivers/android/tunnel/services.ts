/** How a service that an adb tunnel requests is handled. */
export type Admission =
  | { to: 'phone' }
  /** A `reverse:` request. It leads back through the tunnel and not to the phone's host. */
  | { to: 'reverse'; request: string }
  /** The requester receives this text, in the form of an answer of the phone's own daemon. */
  | { to: 'rejected'; words: string };

/**
 * The services of AOSP adb/SERVICES.TXT and daemon/services.cpp that a borrower with access to the phone's shell may
 * use. This is an allowlist, because an adb server would also accept requests such as `host:kill`.
 */
const PHONE_SERVICES =
  /^(?:(?:shell|exec|abb|abb_exec|sync|tcp|local|localabstract|localreserved|localfilesystem|dev|jdwp|framebuffer|source|sink)[:,]|(?:jdwp|track-jdwp|track-app|shell)$)/;

/**
 * These services restart the phone's daemon or change its mode, which would take the phone away from its session and
 * its host.
 */
const FORBIDDEN_SERVICES =
  /^(?:root|unroot|remount|reboot|tcpip|usb|disable-verity|enable-verity|backup|restore|reconnect)\b/;

/** An adb server's requests have a length of four hexadecimal digits. */
const MAX_SERVICE_BYTES = 0xffff;

/** Null: the service does not exist, or a borrower must not use it. */
export function admitService(service: string): Admission | null {
  if (Buffer.byteLength(service) > MAX_SERVICE_BYTES) return null;
  if (service.startsWith('reverse:')) return { to: 'reverse', request: service.slice('reverse:'.length) };
  if (PHONE_SERVICES.test(service)) return { to: 'phone' };
  const name = FORBIDDEN_SERVICES.exec(service)?.[0];
  return name === undefined
    ? null
    : { to: 'rejected', words: `adb ${name} is not allowed on a borrowed phone\n` };
}
