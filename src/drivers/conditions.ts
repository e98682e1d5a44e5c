import { CONDITION_NAMES, type Conditions, unknownCondition } from '../contract/sockets/conditions.ts';
import type { ControlResult } from '../contract/sockets/control-methods.ts';
import { DriverError } from './driver.ts';

/**
 * Checks conditions that a client wants before any of them is changed.
 * @throws DriverError that begins with the name of the first condition which the phone cannot have
 */
export function checkConditions(
  wanted: Conditions,
  unsupported: ControlResult<'conditions.get'>['unsupported'],
): void {
  for (const name of CONDITION_NAMES) {
    const reason = wanted[name] === undefined ? undefined : unsupported[name];
    if (reason !== undefined)
      throw new DriverError('unsupported', `${name} is not supported by this phone: ${reason}`);
  }
  const unknown = unknownCondition(wanted);
  if (unknown) throw new DriverError('failed', `${unknown.field} ${unknown.message}`);
}
