import { ApiError } from '../../contract/http/errors.ts';
import { MAX_COMMANDS } from '../../contract/http/session.ts';
import { sanitiseText } from '../../control-plane/hosts/sanitise.ts';
import { sessionNotFound } from '../../control-plane/refusal-errors.ts';
import { WebDriverError } from '../../webdriver/protocol/errors.ts';
import { implement } from '../implement.ts';
import { PhoneCalls } from '../webdriver/phone-calls.ts';

export const sessionCommands = implement('sessions.commands', async (context, { principal, params }) => {
  const session = await context.store.getSession(params.session_id, principal.accountId);
  if (!session) throw sessionNotFound(params.session_id);
  if (session.status !== 'connected') return { items: [] };
  const history = await new PhoneCalls(context, session).history().catch((error: unknown) => {
    if (!(error instanceof WebDriverError)) throw error;
    // The session has ended since.
    if (error.error === 'invalid session id') return [];
    throw unavailable(error.message);
  });
  return {
    items: history.slice(0, MAX_COMMANDS).map(({ id, name, startedAt, ms = null, error }) => ({
      id,
      name: sanitiseText(name),
      started_at: timeOf(startedAt),
      duration_ms: ms,
      error: sanitiseText(error ?? null),
    })),
  };
});

const unavailable = (message: string) => new ApiError('unavailable', message, {}, { 'retry-after': '2' });

/** A host is another machine, and could send another text. */
function timeOf(text: string): string {
  const ms = Date.parse(text);
  return new Date(Number.isNaN(ms) ? 0 : ms).toISOString();
}
