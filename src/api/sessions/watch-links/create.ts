import { socketAddress } from '../../../access/socket-address.ts';
import { MAX_WATCH_LINKS_PER_SESSION } from '../../../contract/http/watch-link.ts';
import { refusalError, sessionNotFound } from '../../../control-plane/refusal-errors.ts';
import { idempotency } from '../../idempotency.ts';
import { implement } from '../../implement.ts';
import { toWatchLink } from './watch-link-view.ts';

export const createWatchLink = implement('sessions.watch-links.create', async (context, call) => {
  const { session_id: sessionId } = call.params;
  const { accountId, keyId } = call.principal;
  const outcome = await context.store.createWatchLink(
    {
      sessionId,
      accountId,
      keyId,
      subject: { shows: 'screen' },
      maxLinks: MAX_WATCH_LINKS_PER_SESSION,
      // Bound to this key, because the address in a replayed response is only valid for it.
      idempotency: idempotency(call.idempotencyKey, ['watch-link', sessionId, keyId]),
    },
    call.audit,
  );
  if (!outcome) throw sessionNotFound(sessionId);
  if (!outcome.ok) throw refusalError(outcome.refusal, sessionId);
  const { link, session } = outcome;
  const claim = { purpose: 'stream', sessionId, epoch: session.epoch, grantId: link.id } as const;
  return { ...toWatchLink(link), stream_url: socketAddress(context, claim) };
});
