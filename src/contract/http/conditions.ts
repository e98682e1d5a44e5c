import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { Conditions, ConditionsReport, unknownCondition } from '../sockets/conditions.ts';
import type { FieldError } from './errors.ts';
import { fieldErrors } from './field-errors.ts';
import { none, type Operation } from './operation.ts';
import { sessionParams } from './session.ts';

const report = Type.Object(ConditionsReport.properties, { title: 'ConditionsReport' });

/** The errors of operations that the phone of a session performs. */
const errors: Operation['errors'] = ['sessionNotFound', 'sessionEnded', 'sessionNotConnected'];

export const conditionOperations = {
  'sessions.conditions.get': {
    method: 'GET',
    path: '/sessions/{session_id}/conditions',
    summary: 'Show the conditions of the session’s phone, such as dark mode, and those that it cannot change',
    access: 'read',
    params: sessionParams,
    query: none,
    body: none,
    answer: report,
    errors,
  },
  'sessions.conditions.update': {
    method: 'PATCH',
    path: '/sessions/{session_id}/conditions',
    summary: 'Change conditions of the session’s phone, and show all of them',
    description:
      'If the phone does not support one of them, or one of them fails, none is changed. They are undone when the ' +
      'session has ended, before the phone is available again.',
    access: 'borrow',
    params: sessionParams,
    query: none,
    body: Conditions,
    answer: report,
    errors,
  },
} as const satisfies Record<string, Operation>;

const validator = Compile(Conditions);

/** The errors of a value that should be conditions; `root` names it in the field paths. */
export function conditionErrors(value: unknown, root: string): FieldError[] {
  const errors = fieldErrors(validator, value, root);
  if (errors.length > 0) return errors;
  const unknown = unknownCondition(value as Conditions);
  return unknown ? [{ field: `${root}.${unknown.field}`, message: unknown.message }] : [];
}
