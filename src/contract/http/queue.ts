import { type Static, type TSchema, Type } from 'typebox';
import { ErrorEnvelope } from './envelope.ts';
import { none, type Operation, strict } from './operation.ts';
import { connectFields, type Duration, Session } from './session.ts';

/** Longest wait for a phone that a request may specify, in seconds. */
export const MAX_WAIT_S = 600;
/** Maximum number of waiting requests of one account. Above it, a request fails with 40011 and `kind` `waiting`. */
export const MAX_WAITING_PER_ACCOUNT = 100;
/** Maximum number of waiting requests of all accounts. Above it, a request fails with 40029. */
export const MAX_WAITING = 1_000;
/** Maximum interval between the `queued` events of a waiting request. */
export const QUEUED_EVERY_MS = 5_000;

const field = (description: string) => Type.Optional(Type.String({ maxLength: 100, description }));

/** Filters for phones. A filter that is absent or empty matches any phone. */
export const PhoneFilterFields = {
  brand: field('Only phones of this brand; case-insensitive'),
  os_version: field('Only phones with this OS version'),
  model: field('Only phones with this model code'),
};

/** The queue position of a waiting request. */
export const Queued = Type.Object(
  {
    position: Type.Integer({
      minimum: 1,
      description: 'Position in the queue; 1: the next matching phone is for this request',
    }),
    ahead: Type.Integer({
      minimum: 0,
      description: 'Number of earlier requests that the same phones match',
    }),
    matching: Type.Integer({ minimum: 0, description: 'Number of matching phones, in any state' }),
  },
  { title: 'Queued' },
);
export type Queued = Static<typeof Queued>;

/** The events of `POST /sessions` as a stream, by name: any number of `queued`, then one of the others. */
export const QUEUE_EVENTS = {
  queued: Queued,
  session: Session,
  error: ErrorEnvelope,
} as const satisfies Record<string, TSchema>;

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
