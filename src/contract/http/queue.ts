import { type Static, type TSchema, Type } from 'typebox';
import { ErrorEnvelope } from './envelope.ts';
import { Session } from './session.ts';

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
