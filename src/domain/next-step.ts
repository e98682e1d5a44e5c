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
    'Let the host open the USB device (phonebooth doctor says how), and plug it in again.',
  ],
  [/^offline/i, 'Plug the phone in again, or restart it.'],
  [/^the adb server/i, 'Nothing, if it comes back soon; otherwise run phonebooth doctor on the host.'],
  [/^cleaning failed/i, 'The host tries again by itself; if that goes on failing, restart the phone.'],
  [/^unplugged/i, 'Plug the phone in again.'],
  [
    /^the phone refuses/i,
    "Turn on the switch that the problem names in the phone's developer options, and restart the phone.",
  ],
  [/^not running Android/i, 'Restart the phone.'],
  [/^restarting/i, 'Nothing: it can be used again when it has restarted.'],
  [/^another phone/i, 'Unplug one of the phones that share a serial number, or move it to another host.'],
];

/**
 * Describes in one sentence what an operator can do to make a phone available again. Null when nothing has to be
 * done, or no step is known.
 */
export function nextStep({ condition, present, problem, host, claimedBy }: TroubleFacts): string | null {
  if (claimedBy) {
    return (
      `The host ${claimedBy.name} reports this device too. Move it there if it was plugged in there; otherwise ` +
      'revoke that host.'
    );
  }
  if (condition === 'maintenance') return 'End its maintenance when it may be lent again.';
  if (condition !== 'offline') return null;
  if (host.state === 'revoked') return `Plug it in at another host: ${host.name} was revoked.`;
  if (host.state === 'silent') {
    return `See that the machine ${host.name} is on and reaches the network, and that Phonebooth runs on it.`;
  }
  if (!present) return `See to its cable and its power: ${host.name} does not find it.`;
  const known = STEPS.find(([words]) => words.test(problem ?? ''));
  return known?.[1] ?? `Run phonebooth doctor on the host ${host.name}.`;
}
