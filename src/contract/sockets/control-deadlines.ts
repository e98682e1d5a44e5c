import { CONTROL_METHODS, type ControlMethod } from './control-methods.ts';

/** Deadline of a method that does not declare its own, in milliseconds. */
const DEFAULT_DEADLINE_MS = 15_000;

/**
 * What each party adds to a method's deadline. The party that is closer to the phone times out first, because its
 * error is more specific.
 */
const DEADLINE_MARGINS_MS = { host: -1_000, gateway: 0, client: 10_000 };
export type DeadlineParty = keyof typeof DEADLINE_MARGINS_MS;

/** Returns how long a party waits for the response to a command, in milliseconds. For a gesture its `ms` is added. */
export function controlDeadlineMs(party: DeadlineParty, method: ControlMethod, params?: object): number {
  const gestureMs = params && 'ms' in params && typeof params.ms === 'number' ? params.ms : 0;
  // A JavaScript client may name an unknown method. The gateway answers it with an error that names the method.
  const { deadlineMs = DEFAULT_DEADLINE_MS } =
    (CONTROL_METHODS as Partial<typeof CONTROL_METHODS>)[method] ?? {};
  return deadlineMs + gestureMs + DEADLINE_MARGINS_MS[party];
}

/**
 * Deadline of the HTTP API for a screenshot: that of the phone, plus that of the link which transfers the image.
 */
export const SCREENSHOT_DEADLINE_MS = DEFAULT_DEADLINE_MS + 10_000;
