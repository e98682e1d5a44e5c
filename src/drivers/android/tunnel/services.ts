/** What becomes of a service that an adb tunnel asks for. */
export type Admission =
  | { to: 'phone' }
  /** `reverse:` and what is asked of it, which leads back through the tunnel and not to the phone's host. */
  | { to: 'reverse'; request: string }
  /** Said to whoever asked, as the phone's own daemon would. */
  | { to: 'nobody'; words: string };

/**
 * The services of AOSP adb/SERVICES.TXT and daemon/services.cpp that whoever may use the phone's shell may have. A
 * list of what is let through, not of what is not: to an adb server `host:kill` is as good a service as any other.
 */
const OF_THE_PHONE =
  /^(?:(?:shell|exec|abb|abb_exec|sync|tcp|local|localabstract|localreserved|localfilesystem|dev|jdwp|framebuffer|source|sink)[:,]|(?:jdwp|track-jdwp|track-app|shell)$)/;

/** They restart the phone's daemon or make it another, and with that take the phone from its session and its host. */
const OF_THE_HOST =
  /^(?:root|unroot|remount|reboot|tcpip|usb|disable-verity|enable-verity|backup|restore|reconnect)\b/;

/** An adb server takes a length of four hexadecimal digits. */
const MAX_SERVICE_BYTES = 0xffff;

/** null: no such service, or none for who borrows a phone. */
export function admitService(service: string): Admission | null {
  if (Buffer.byteLength(service) > MAX_SERVICE_BYTES) return null;
  if (service.startsWith('reverse:')) return { to: 'reverse', request: service.slice('reverse:'.length) };
  if (OF_THE_PHONE.test(service)) return { to: 'phone' };
  const name = OF_THE_HOST.exec(service)?.[0];
  return name === undefined ? null : { to: 'nobody', words: `adb ${name}: not on a phone that is lent\n` };
}
