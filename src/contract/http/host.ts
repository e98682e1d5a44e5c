import { type Static, Type } from 'typebox';
import { nullable, timestamp } from './operation.ts';

export const HOST_STATES = ['up', 'silent', 'revoked'] as const;
export type HostState = (typeof HOST_STATES)[number];
export const HostState = Type.Enum([...HOST_STATES], {
  description:
    'up: the host reports. silent: its reports stopped or have not started. revoked: its reports are ' +
    'rejected permanently.',
});

const phones = (description: string) => Type.Integer({ minimum: 0, description });

/** A machine with phones attached to it. */
export const Host = Type.Object(
  {
    id: Type.String({ description: 'Host identifier' }),
    name: Type.String({ description: 'Name' }),
    state: HostState,
    last_seen: nullable(
      timestamp('Time of the last report, accurate to a few seconds'),
      'null if it never reported',
    ),
    phones: Type.Object({
      available: phones('Ready to connect'),
      busy: phones('In use or being cleaned'),
      offline: phones('Not attached or not usable'),
      maintenance: phones('Out of service'),
    }),
    live_sessions: Type.Integer({
      minimum: 0,
      description: 'Number of sessions on its phones that have not ended',
    }),
  },
  { title: 'Host' },
);
export type Host = Static<typeof Host>;
