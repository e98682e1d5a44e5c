import { ApiError } from '../../contract/http/errors.ts';
import { eventMessage, ServerSentEvents } from '../../control-plane/events/server-sent-events.ts';
import type { BorrowOptions, BorrowRequest } from '../../control-plane/queue/borrow-request.ts';
import { toSession } from '../../control-plane/views/session-view.ts';
import { logUnlessOutage } from '../../store/outage-log.ts';
import type { ApiContext } from '../context.ts';
import { toApiError, toEnvelope } from '../errors.ts';
import type { Caller } from '../implement.ts';

/**
 * Borrows a phone and reports progress as server-sent events. The stream begins when the request enters the queue or
 * has a session. An error before that is thrown and answered like any other error.
 */
export function borrowAsStream(
  context: ApiContext,
  request: BorrowRequest,
  options: BorrowOptions,
  { principal, requestId }: Pick<Caller, 'principal' | 'requestId'>,
): Promise<ServerSentEvents> {
  const begun = Promise.withResolvers<ServerSentEvents>();
  const stream = new ServerSentEvents();
  const sendEvent = (event: string, data: unknown) => {
    stream.send(eventMessage(event, data));
    begun.resolve(stream);
  };
  context.borrowQueue
    .borrow(request, { ...options, onQueued: (queued) => sendEvent('queued', queued) })
    .then(
      (row) => {
        const session = toSession(context, row, principal);
        stream.outcome = { code: 0, data: session };
        sendEvent('session', session);
      },
      (error: unknown) => {
        begun.reject(error);
        const answer = toApiError(error, requestId);
        stream.outcome = { code: answer.code, data: null };
        const isUnread = error instanceof ApiError && options.disconnected.aborted;
        if (answer.status >= 500 && !isUnread)
          logUnlessOutage(context.log, 'error', { err: error, requestId }, answer.message);
        stream.send(eventMessage('error', toEnvelope(answer)));
      },
    )
    .finally(() => stream.finish());
  return begun.promise;
}
