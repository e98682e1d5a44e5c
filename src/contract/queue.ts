import { type Static, type TSchema, Type } from 'typebox';
import { ErrorEnvelope } from './envelope.ts';
import { Session } from './session.ts';

/** The longest wait for a phone that a request may ask for, seconds. */
export const MAX_WAIT_S = 600;
/** Requests of one account that may wait at a time; one more is 40011 with `kind` `waiting`. */
export const MAX_WAITING_PER_ACCOUNT = 100;
/** Requests of all accounts that may wait at a time; one more is 40029. */
export const MAX_WAITING = 1_000;
/** A stream of a waiting request says where it stands at least this often. */
export const QUEUED_EVERY_MS = 5_000;

const field = (description: string) => Type.Optional(Type.String({ maxLength: 100, description }));

/** Which phones will do; a field that is absent or empty allows any. */
export const PhoneFilterFields = {
  brand: field('Only this brand, without regard to case'),
  os_version: field('Only this OS version'),
  model: field('Only this model code'),
};

/** Where a request stands that waits. */
export const Queued = Type.Object(
  {
    position: Type.Integer({ minimum: 1, description: '1: the next phone that matches is for this request' }),
    ahead: Type.Integer({
      minimum: 0,
      description: 'Requests that came before it and would take such a phone',
    }),
    matching: Type.Integer({ minimum: 0, description: 'Phones that match, whatever they are doing' }),
  },
  { title: 'Queued' },
);
export type Queued = Static<typeof Queued>;

/** The events of `POST /sessions` as a stream, by name: `queued` any number of times, then one of the others. */
export const QUEUE_EVENTS = {
  queued: Queued,
  session: Session,
  error: ErrorEnvelope,
} as const satisfies Record<string, TSchema>;
