import { Type } from 'typebox';
import { none, type Operation, strict } from './operation.ts';
import {
  MAX_WAIT_S,
  MAX_WAITING,
  MAX_WAITING_PER_ACCOUNT,
  PhoneFilterFields,
  QUEUE_EVENTS,
} from './queue.ts';
import { connectFields, type Duration, Session } from './session.ts';

export const queueOperations = (duration: Duration) =>
  ({
    'sessions.borrow': {
      method: 'POST',
      path: '/sessions',
      summary: 'Create a connection session to any matching phone, and optionally wait for one',
      description:
        'Requests that compete for the same phones are served in the order of their arrival. A phone that is ' +
        'offline counts as matching, because it may return. With `Accept: text/event-stream`, the response ' +
        'is a stream: `queued` when the request starts to wait, when its position changes and every few ' +
        'seconds, then `session`, or `error` with the error envelope. A request whose connection is closed ' +
        'leaves the queue, and a session whose client did not receive it ends without a charge. The ' +
        'account’s limits are checked when the request arrives and again when it is its turn. At most ' +
        `${MAX_WAITING_PER_ACCOUNT} requests of an account can wait at the same time (40011, \`kind\` ` +
        `\`waiting\`), and ${MAX_WAITING} in total (40029).`,
      access: 'borrow',
      params: none,
      query: none,
      body: strict({
        ...PhoneFilterFields,
        ...connectFields(duration),
        wait: Type.Optional(
          Type.Integer({
            minimum: 0,
            maximum: MAX_WAIT_S,
            default: 0,
            description: 'Maximum time to wait for a phone, in seconds',
          }),
        ),
      }),
      answer: Session,
      events: QUEUE_EVENTS,
      errors: [
        'deviceNotFound',
        'appNotFound',
        'deviceUnavailable',
        'quotaExceeded',
        'idempotencyConflict',
        'rateLimited',
      ],
      idempotencyKey: true,
    },
  }) as const satisfies Record<string, Operation>;
