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
      summary: 'Create a connection session to any phone that matches, waiting for one if need be',
      description:
        'First come, first served, among the requests for which the same phone will do; an offline phone counts as one ' +
        'that may come back. With `Accept: text/event-stream` the answer is a stream: `queued` when the request begins to ' +
        'wait, when its place changes and every few seconds, then `session`, or `error` with the envelope of an error. A ' +
        'request whose connection is closed waits no longer, and a session that nobody has heard of ends uncharged. The ' +
        `account’s limits are looked at when the request comes and again in its turn. At most ${MAX_WAITING_PER_ACCOUNT} ` +
        `requests of an account wait at a time (40011, \`kind\` \`waiting\`), and ${MAX_WAITING} in all (40029).`,
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
            description: 'Seconds to wait for a phone',
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
