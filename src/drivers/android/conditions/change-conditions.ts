import { setTimeout as delay } from 'node:timers/promises';
import type { AdbDevice } from '../adb/adb-device.ts';
import { AdbError } from '../adb/adb-socket.ts';
import { shellEach } from '../adb/shell-batch.ts';
import { failureOf } from '../adb/shell-result.ts';
import { conditionOf, type ShellConditionName } from './android-conditions.ts';
import { type ConditionPhone, isSameState, type State } from './condition.ts';

/** Time that a phone has to apply a change: its services learn of some changes later. */
const SETTLE_MS = 6_000;
const RETRY_MS = 250;

export interface PhoneToChange extends ConditionPhone {
  device: AdbDevice;
}

/** The state of a condition, or why the phone does not report it. */
export type Reading = { state: State } | { failure: string };

/** @throws AdbError when the phone cannot be queried, or the signal's reason */
export async function readConditions(
  phone: PhoneToChange,
  names: readonly ShellConditionName[],
  signal: AbortSignal,
): Promise<Map<ShellConditionName, Reading>> {
  const questions = names.flatMap((name) =>
    Object.entries(conditionOf(name).questions).map(([part, question]) => ({ name, part, question })),
  );
  const lines = questions.map(({ question }) => question.line(phone));
  const results = await shellEach(phone.device, lines, { signal });
  const readings = new Map<ShellConditionName, Reading>(names.map((name) => [name, { state: {} }]));
  for (const [index, { name, part, question }] of questions.entries()) {
    const before = readings.get(name)!;
    if ('failure' in before) continue;
    const result = results[index]!;
    const text = result.stdout.toString('utf8');
    const failure = failureOf(result);
    const value = failure === null ? question.parse(text) : undefined;
    const isValid = value === null || (value !== undefined && question.form.test(value));
    if (isValid) readings.set(name, { state: { ...before.state, [part]: value } });
    else if (!question.isForDisplay)
      readings.set(name, { failure: failure ?? `unexpected answer ${JSON.stringify(text.slice(0, 100))}` });
  }
  return readings;
}

/**
 * Brings the phone to a state.
 * @throws AdbError when a command fails, or the phone does not report the state in time; or the signal's reason
 */
export async function changeCondition(
  phone: PhoneToChange,
  name: ShellConditionName,
  target: State,
  signal: AbortSignal,
): Promise<void> {
  const condition = conditionOf(name);
  await settle(phone, name, target, signal, (now) => isSameState(condition, now, target));
}

/**
 * Brings the phone back to the state before a session, if it has another one.
 * @throws AdbError as `changeCondition` does
 */
export async function restoreCondition(
  phone: PhoneToChange,
  name: ShellConditionName,
  before: State,
  signal: AbortSignal,
): Promise<void> {
  const condition = conditionOf(name);
  const isRestored = (now: State) =>
    condition.isRestored?.(now, before) ?? isSameState(condition, now, before);
  const reading = (await readConditions(phone, [name], signal)).get(name)!;
  if ('state' in reading && isRestored(reading.state)) return;
  await settle(phone, name, before, signal, isRestored);
}

async function settle(
  phone: PhoneToChange,
  name: ShellConditionName,
  target: State,
  signal: AbortSignal,
  isReached: (now: State) => boolean,
): Promise<void> {
  const deadline = performance.now() + SETTLE_MS;
  for (;;) {
    const results = await shellEach(phone.device, conditionOf(name).commands(target, phone), { signal });
    for (const result of results) {
      const failure = failureOf(result);
      if (failure !== null) throw new AdbError(failure);
    }
    const reading = (await readConditions(phone, [name], signal)).get(name)!;
    if ('state' in reading && isReached(reading.state)) return;
    if (performance.now() > deadline) {
      const reported = 'state' in reading ? JSON.stringify(reading.state) : reading.failure;
      throw new AdbError(`the phone accepted the change but still reports ${reported}`);
    }
    await delay(RETRY_MS, undefined, { signal });
  }
}
