import { replayPage } from '../../../contract/http/shared-recording.ts';
import {
  DEFAULT_RECORDING_LINK_MINUTES,
  MAX_WATCH_LINKS_PER_SESSION,
} from '../../../contract/http/watch-link.ts';
import { refusalError, sessionNotFound } from '../../../control-plane/refusal-errors.ts';
import { idempotency } from '../../idempotency.ts';
import { implement } from '../../implement.ts';
import { toWatchLink } from '../watch-links/watch-link-view.ts';

export const createRecordingLink = implement('sessions.recording-links.create', async (context, call) => {
  const { session_id: sessionId } = call.params;
  const { accountId, keyId } = call.principal;
  const minutes = call.body.expires_in ?? DEFAULT_RECORDING_LINK_MINUTES;
  const outcome = await context.store.createWatchLink(
    {
      sessionId,
      accountId,
      keyId,
      subject: { shows: 'recording', validForMs: minutes * 60_000 },
      maxLinks: MAX_WATCH_LINKS_PER_SESSION,
      idempotency: idempotency(call.idempotencyKey, ['recording-link', sessionId, keyId, minutes]),
    },
    call.audit,
  );
  if (!outcome) throw sessionNotFound(sessionId);
  if (!outcome.ok) throw refusalError(outcome.refusal, sessionId);
  const { link, session } = outcome;
  const token = context.tokenKeys.sign({
    purpose: 'recording',
    sessionId,
    epoch: session.epoch,
    grantId: link.id,
  });
  return { ...toWatchLink(link), token, page: replayPage(sessionId, token) };
});
