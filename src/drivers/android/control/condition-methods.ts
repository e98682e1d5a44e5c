import type { Conditions, ConditionsReport } from '../../../contract/sockets/conditions.ts';
import { oneLine } from '../../../util/one-line.ts';
import { checkConditions } from '../../conditions.ts';
import { DriverError } from '../../driver.ts';
import { AdbError } from '../adb/adb-socket.ts';
import {
  conditionOf,
  SHELL_CONDITION_NAMES,
  type ShellConditionName,
} from '../conditions/android-conditions.ts';
import { changeCondition, type Reading, readConditions } from '../conditions/change-conditions.ts';
import { isSameState, type State } from '../conditions/condition.ts';
import { isNetworkSerial } from '../same-phone.ts';
import { LOCATION_SDK, setLocation } from './mock-location.ts';
import type { Handlers, PhoneContext } from './phone-context.ts';

/** Time to undo what was changed before a change failed. Cleaning restores the rest. */
const UNDO_MS = 15_000;
const MAX_REASON = 300;

interface Change {
  name: ShellConditionName;
  before: State;
  target: State;
}

/** The control methods of conditions, and of the location, which is one of them. */
export function conditionMethods(phone: PhoneContext): Handlers {
  let location: Conditions['location'];
  let last: Promise<unknown> = Promise.resolve();
  const readings = (signal: AbortSignal) => readConditions(phone, SHELL_CONDITION_NAMES, signal);

  const change = async (wanted: Conditions, signal: AbortSignal): Promise<ConditionsReport> => {
    const now = await readings(signal);
    checkConditions(wanted, reportOf(phone, now, location).unsupported);
    const changes = changesOf(wanted, now);
    await phone.journal.keepConditions(Object.fromEntries(changes.map(({ name, before }) => [name, before])));
    await apply(phone, changes, signal, async () => {
      if (!wanted.location) return;
      await setLocation(phone, wanted.location, signal);
      location = wanted.location;
    });
    return reportOf(phone, await readings(signal), location);
  };

  return {
    'location.set': async (place, signal) => {
      if (phone.sdk < LOCATION_SDK)
        throw new DriverError(
          'unsupported',
          'location.set requires Android 12 or newer; borrow a phone with a newer version',
        );
      await setLocation(phone, place, signal);
      location = place;
      return null;
    },
    'conditions.get': async (_params, signal) => reportOf(phone, await readings(signal), location),
    // One request at a time, so that each undoes only what it changed itself.
    'conditions.set': (wanted, signal) => {
      const turn = last.then(() => {
        signal.throwIfAborted();
        return change(wanted, signal);
      });
      last = turn.catch(() => {});
      return turn;
    },
  };
}

function reportOf(
  phone: PhoneContext,
  readings: ReadonlyMap<ShellConditionName, Reading>,
  location: Conditions['location'],
): ConditionsReport {
  const { sdk, user, device } = phone;
  const values: Record<string, unknown> = {};
  const unsupported: ConditionsReport['unsupported'] = {};
  for (const name of SHELL_CONDITION_NAMES) {
    const condition = conditionOf(name);
    const reading = readings.get(name)!;
    const isOnNetwork = isNetworkSerial(device.serial);
    const refusal = condition.refusal({ sdk, user, isOnNetwork });
    const failure = 'failure' in reading ? `the phone does not report it: ${reading.failure}` : null;
    const reason = refusal ?? failure;
    if (reason !== null) unsupported[name] = oneLine(reason, MAX_REASON);
    const value = 'state' in reading ? condition.valueOf(reading.state) : undefined;
    if (value !== undefined) values[name] = value;
  }
  if (sdk < LOCATION_SDK) unsupported.location = 'Android 12 or newer is required';
  if (location) values.location = location;
  return { values, unsupported };
}

/** What has to change. A condition that the phone already has is left as it is. */
function changesOf(wanted: Conditions, readings: ReadonlyMap<ShellConditionName, Reading>): Change[] {
  return SHELL_CONDITION_NAMES.flatMap((name) => {
    const reading = readings.get(name);
    const value = wanted[name];
    if (value === undefined || !reading || !('state' in reading)) return [];
    const condition = conditionOf(name);
    const { state: before } = reading;
    const target = condition.stateFor(value, before);
    return isSameState(condition, before, target) ? [] : [{ name, before, target }];
  });
}

/** Makes all changes, or none: those before the one that fails are undone. */
async function apply(
  phone: PhoneContext,
  changes: readonly Change[],
  signal: AbortSignal,
  finish: () => Promise<void>,
): Promise<void> {
  const begun: Change[] = [];
  try {
    for (const change of changes) {
      begun.push(change);
      await changeCondition(phone, change.name, change.target, signal).catch((error: unknown) => {
        if (!(error instanceof AdbError)) throw error;
        throw new DriverError('failed', `${change.name} could not be changed: ${error.message}`);
      });
    }
    await finish();
  } catch (error) {
    const undoing = AbortSignal.timeout(UNDO_MS);
    for (const { name, before } of begun.toReversed())
      await changeCondition(phone, name, before, undoing).catch(() => {});
    throw error;
  }
}
