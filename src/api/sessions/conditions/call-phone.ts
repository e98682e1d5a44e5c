import { Compile } from 'typebox/compile';
import { ApiError, invalidField } from '../../../contract/http/errors.ts';
import { CONDITION_NAMES, ConditionsReport } from '../../../contract/sockets/conditions.ts';
import type { ControlParams } from '../../../contract/sockets/control-methods.ts';
import { sanitiseText } from '../../../control-plane/hosts/sanitise.ts';
import { phoneUnavailable, sessionNotConnected } from '../../../control-plane/refusal-errors.ts';
import type { Principal } from '../../../store/accounts/account-store.ts';
import { Slots } from '../../../util/slots.ts';
import { WebDriverError } from '../../../webdriver/protocol/errors.ts';
import type { ApiContext } from '../../context.ts';
import { reserveSlot } from '../../limits/reserve-slot.ts';
import { PhoneCalls } from '../../webdriver/phone-calls.ts';
import { liveSession } from '../live-session.ts';

type Method = 'conditions.get' | 'conditions.set';

const report = Compile(ConditionsReport);
/** A request waits until the phone has answered. */
const CALLS = new Slots({ total: 200, perSubject: 20 });

/** Calls a method of the conditions on the phone of a session. @throws ApiError */
export async function callPhone<M extends Method>(
  context: ApiContext,
  { accountId }: Principal,
  sessionId: string,
  method: M,
  params: ControlParams<M>,
): Promise<ConditionsReport> {
  const session = await liveSession(context, sessionId, accountId);
  using _slot = reserveSlot(CALLS, accountId, 'calls of phones');
  const result: unknown = await new PhoneCalls(context, session)
    .callDirectly(method, params)
    .catch((error: unknown) => {
      throw error instanceof WebDriverError ? explain(error) : error;
    });
  if (!report.Check(result)) throw unavailable('its host sent an invalid response; upgrade the host');
  // A host is another machine.
  const reasons = Object.entries(result.unsupported).map(([name, reason]) => [name, sanitiseText(reason)]);
  return { values: result.values, unsupported: Object.fromEntries(reasons) };
}

function explain({ error, message }: WebDriverError): ApiError {
  // The host does not know the session: the row is newer or older than the host's state.
  if (error === 'invalid session id') return sessionNotConnected();
  const field = CONDITION_NAMES.find((name) => message.startsWith(`${name} `));
  if (error === 'unsupported operation' && field)
    return invalidField(`body.${field}`, message.slice(field.length + 1));
  if (error === 'unsupported operation') return new ApiError('invalid', message);
  return unavailable(message);
}

const unavailable = (why: string) => phoneUnavailable('read or change its conditions', why);
