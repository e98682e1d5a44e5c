import { type Static, Type } from 'typebox';
import { nullable, timestamp } from './operation.ts';
import { UserName } from './user-name.ts';

/** Maximum number of watch links of one session, including revoked ones. */
export const MAX_WATCH_LINKS_PER_SESSION = 100;

/** The prefix of the identifiers of watch links. */
export const WATCH_LINK_PREFIX = 'watch';

export const isWatchLink = (grantId: string) => grantId.startsWith(`${WATCH_LINK_PREFIX}_`);

const watchLink = {
  id: Type.String({ description: 'Watch link identifier; it is not a secret' }),
  session_id: Type.String({ description: 'The session whose screen it shows' }),
  created_by: Type.Object(
    { id: Type.String(), name: Type.String() },
    { description: 'The key that created it. The link stops working when that key is revoked' },
  ),
  user: nullable(UserName, 'The user of that key; null: the key belongs to the account alone'),
  created_at: timestamp('When it was created'),
  revoked_at: nullable(timestamp('When it was revoked'), 'null: it was not'),
};

/**
 * A grant to watch one session's screen. Its address is not included: only the response that created the link
 * contains it.
 */
export const WatchLink = Type.Object(watchLink, { title: 'WatchLink' });
export type WatchLink = Static<typeof WatchLink>;

export const CreatedWatchLink = Type.Object(
  {
    ...watchLink,
    stream_url: Type.String({
      format: 'uri',
      description:
        'WebSocket address of the screen stream for whoever has the link. It works without a key until the session ends or ' +
        'the link is revoked',
    }),
  },
  { title: 'CreatedWatchLink' },
);
export type CreatedWatchLink = Static<typeof CreatedWatchLink>;
