import { type Static, Type } from 'typebox';
import { nullable, timestamp } from './operation.ts';

export const HOST_STATES = ['up', 'silent', 'revoked'] as const;
export type HostState = (typeof HOST_STATES)[number];
export const HostState = Type.Enum([...HOST_STATES], {
  description:
    'up: it is heard of. silent: it is not, or was not yet. revoked: it is heard no more, for good.',
});

const phones = (description: string) => Type.Integer({ minimum: 0, description });

/** A machine with phones attached to it. */
export const Host = Type.Object(
  {
    id: Type.String({ description: 'Host identifier' }),
    name: Type.String({ description: 'What it is called' }),
    state: HostState,
    last_seen: nullable(timestamp('When it was last heard of, within seconds'), 'null: never'),
    phones: Type.Object({
      available: phones('That can be used'),
      busy: phones('In use, or being cleaned'),
      offline: phones('That it does not have now, or cannot use'),
      maintenance: phones('Out of service'),
    }),
    live_sessions: Type.Integer({ minimum: 0, description: 'Sessions on its phones that have not ended' }),
  },
  { title: 'Host' },
);
export type Host = Static<typeof Host>;
