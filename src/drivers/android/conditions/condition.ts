import type { ConditionName, Conditions } from '../../../contract/sockets/conditions.ts';
import { settingLine } from '../settings.ts';

/** The phone whose conditions are read and changed. */
export interface ConditionPhone {
  /** Android's API level. */
  sdk: number;
  /** Android's id of the user whose conditions they are. */
  user: number;
}

/** What a condition consists of on the phone, by question. Null: the phone has no value, and uses its default. */
export type State = Readonly<Record<string, string | null>>;

/** A command that prints one part of a state. */
export interface Question {
  line(phone: ConditionPhone): string;
  /** Returns undefined for an answer that is not one, such as an error message. */
  parse(output: string): string | null | undefined;
  /** The form of a value. Another one is never written to the phone. */
  form: RegExp;
  /** The answer is only for the client. It is neither restored nor required. */
  isForDisplay?: true;
}

/** A condition that the shell of Android can read, and change if `stateFor` exists. */
export interface AndroidCondition<Value> {
  /** Why the phone cannot change it; null if it can. */
  refusal(phone: ConditionPhone & { isOnNetwork: boolean }): string | null;
  questions: Readonly<Record<string, Question>>;
  valueOf(state: State): Value | undefined;
  /** The state that a client wants. */
  stateFor(value: Value, before: State): State;
  /** The commands that bring the phone to a state. */
  commands(state: State, phone: ConditionPhone): string[];
  /** Whether the phone is as it was before; absent: if the states are equal. */
  isRestored?(now: State, before: State): boolean;
}

export type AndroidConditions = {
  [N in Exclude<ConditionName, 'location'>]: AndroidCondition<NonNullable<Conditions[N]>>;
};

/** `settings get` prints `null` for a setting that does not exist. */
export const setting = (name: string, form: RegExp): Question => ({
  line: ({ user }) => settingLine('get', name, user),
  parse: (output) => {
    const value = output.trim();
    return value === 'null' ? null : value;
  },
  form,
});

/** Writes a setting. Several Android versions cannot delete one of a user other than the first. */
export function writeSetting(
  name: string,
  value: string | null,
  { user }: ConditionPhone,
  initial: string,
): string {
  if (value !== null) return settingLine('put', name, user, [value]);
  const isShared = user === 0 || name.startsWith('global ');
  return isShared ? settingLine('delete', name, user) : settingLine('put', name, user, [initial]);
}

/** The whole output, as in `disabled`. */
export const output = (line: string, form: RegExp): Question => ({
  line: () => line,
  parse: (text) => text.trim(),
  form,
});

/** Whether each part that can be restored is the same. */
export function isSameState({ questions }: Pick<AndroidCondition<never>, 'questions'>, a: State, b: State) {
  return Object.entries(questions).every(([name, { isForDisplay }]) => isForDisplay || a[name] === b[name]);
}
