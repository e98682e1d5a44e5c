import { conditionErrors } from '../../../contract/http/conditions.ts';
import { invalidField } from '../../../contract/http/errors.ts';
import { implement } from '../../implement.ts';
import { callPhone } from './call-phone.ts';

export const updateConditions = implement(
  'sessions.conditions.update',
  (context, { principal, params, body }) => {
    // Whether a time zone or a language exists is not part of the schema.
    const [error] = conditionErrors(body, 'body');
    if (error) throw invalidField(error.field, error.message);
    return callPhone(context, principal, params.session_id, 'conditions.set', body);
  },
);
