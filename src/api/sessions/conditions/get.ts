import { implement } from '../../implement.ts';
import { callPhone } from './call-phone.ts';

export const getConditions = implement('sessions.conditions.get', (context, { principal, params }) =>
  callPhone(context, principal, params.session_id, 'conditions.get', {}),
);
