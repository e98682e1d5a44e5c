import type { HostState } from '../contract/http/host.ts';
import type { DeviceCondition } from './device-status.ts';

/** The facts that an operator sees about a phone that is not available. */
export interface TroubleFacts {
  condition: DeviceCondition;
  /** Its host finds it. */
  present: boolean;
  problem: string | null;
  host: { name: string; state: HostState };
  /** Another host that also reports the phone. */
  claimedBy: { name: string } | null;
}

/**
 * Steps by the beginning of the problem that a host reports. The rest of the problem is the message of the phone or
 * its driver.
 */
const STEPS: [RegExp, string][] = [
  [/^unauthorized/i, 'Unlock the phone and press Allow when it asks whether to allow USB debugging.'],
  [
    /^no permissions/i,
    'Allow the host to open the USB device (phonebooth doctor says how), and reconnect the phone.',
  ],
  [/^offline/i, 'Reconnect the phone, or restart it.'],
  [/^the adb server/i, 'Wait for the phone to return. If it does not, run phonebooth doctor on the host.'],
  [/^cleaning failed/i, 'The host retries automatically. If it keeps failing, restart the phone.'],
  [/^unplugged/i, 'Reconnect the phone.'],
  [
    /^the phone refuses/i,
    'Turn on the option that the problem names in the phone’s developer options, and restart the phone.',
  ],
  [/^not running Android/i, 'Restart the phone.'],
  [/^restarting/i, 'Wait for the phone to restart.'],
  [/^the phone is starting/i, 'Wait for the phone to start.'],
  [
    /^another phone/i,
    'Disconnect one of the phones with the same serial number, or move it to another host.',
  ],
];

/**
 * Describes in one sentence what an operator can do to make a phone available again. Null when nothing has to be
 * done, or no step is known.
 */
export function nextStep({ condition, present, problem, host, claimedBy }: TroubleFacts): string | null {
  if (claimedBy) {
    return (
      `The host ${claimedBy.name} also reports this device. If the device is now attached to it, move the ` +
      'device to that host; otherwise revoke that host.'
    );
  }
  if (condition === 'maintenance') return 'End the maintenance to make the device available again.';
  if (condition !== 'offline') return null;
  if (host.state === 'revoked') return `Connect the phone to another host: ${host.name} is revoked.`;
  if (host.state === 'silent') {
    return `Check that the machine ${host.name} is on, has a network connection and runs Phonebooth.`;
  }
  if (!present) return `Check the phone’s cable and power: ${host.name} does not detect it.`;
  const known = STEPS.find(([words]) => words.test(problem ?? ''));
  return known?.[1] ?? `Run phonebooth doctor on the host ${host.name}.`;
}
