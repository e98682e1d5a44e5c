import { type Static, Type } from 'typebox';
import { none, nullable, type Operation, strict, timestamp } from './operation.ts';
import { PageQuery, pageSchema } from './page.ts';
import { sessionParams } from './session.ts';
import { UserName } from './user-name.ts';

/** Maximum number of watch links of one session, including revoked ones. */
export const MAX_WATCH_LINKS_PER_SESSION = 100;

/** The prefix of the identifiers of watch links. */
export const WATCH_LINK_PREFIX = 'watch';

export const isWatchLink = (grantId: string) => grantId.startsWith(`${WATCH_LINK_PREFIX}_`);

export const WATCH_LINK_SUBJECTS = ['screen', 'recording'] as const;
export type WatchLinkSubject = (typeof WATCH_LINK_SUBJECTS)[number];

/** Longest time for which a link shows a recording, in minutes: 30 days. */
const MAX_RECORDING_LINK_MINUTES = 43_200;
export const DEFAULT_RECORDING_LINK_MINUTES = 1_440;

const watchLink = {
  id: Type.String({ description: 'Watch link identifier; it is not a secret' }),
  session_id: Type.String({ description: 'Session whose screen or recording the link shows' }),
  shows: Type.Enum([...WATCH_LINK_SUBJECTS], {
    description: 'screen: the live screen. recording: the artifacts of the recording',
  }),
  expires_at: nullable(
    timestamp('Time at which a link to a recording expires'),
    'null for a link to the screen, which works until the session ends',
  ),
  created_by: Type.Object(
    { id: Type.String(), name: Type.String() },
    { description: 'Key that created the link. The link stops working when the key is revoked' },
  ),
  user: nullable(UserName, 'User of the key; null if the key belongs to the account only'),
  created_at: timestamp('Creation time'),
  revoked_at: nullable(timestamp('Time of revocation'), 'null if it is not revoked'),
};

/**
 * A grant to watch one session's screen or its recording. Its URL is not included: only the response that created the
 * link contains it.
 */
export const WatchLink = Type.Object(watchLink, { title: 'WatchLink' });
export type WatchLink = Static<typeof WatchLink>;

export const CreatedWatchLink = Type.Object(
  {
    ...watchLink,
    stream_url: Type.String({
      format: 'uri',
      description:
        'WebSocket URL of the screen stream. It works without a key until the session ends or the link is ' +
        'revoked; anyone with the URL can watch',
    }),
  },
  { title: 'CreatedWatchLink' },
);
export type CreatedWatchLink = Static<typeof CreatedWatchLink>;

export const CreatedRecordingLink = Type.Object(
  {
    ...watchLink,
    token: Type.String({
      description:
        'Secret of the link, for the header `Authorization: Bearer` of `POST /shared/recordings/{session_id}`',
    }),
    page: Type.String({
      format: 'uri-reference',
      description: 'Page of the console that shows the recording. Anyone with its URL can open it',
    }),
  },
  { title: 'CreatedRecordingLink' },
);
export type CreatedRecordingLink = Static<typeof CreatedRecordingLink>;

export const watchLinkOperations = {
  'sessions.watch-links.list': {
    method: 'GET',
    path: '/sessions/{session_id}/watch-links',
    summary:
      'List the watch links of a session, to its screen or its recording, newest first, including revoked ones',
    access: 'read',
    params: sessionParams,
    query: strict(PageQuery),
    body: none,
    answer: pageSchema(WatchLink),
    errors: ['sessionNotFound'],
  },
  'sessions.watch-links.create': {
    method: 'POST',
    path: '/sessions/{session_id}/watch-links',
    summary: 'Create a link with which anyone can watch the screen of a live session',
    description:
      'The link gives access to the screen only. It works until the session ends, the link is revoked, or ' +
      `the key that created it is revoked. A session can have at most ${MAX_WATCH_LINKS_PER_SESSION} ` +
      'links, including revoked ones.',
    access: 'borrow',
    params: sessionParams,
    query: none,
    body: none,
    answer: CreatedWatchLink,
    errors: ['sessionNotFound', 'sessionEnded', 'quotaExceeded', 'idempotencyConflict'],
    idempotencyKey: true,
  },
  'sessions.recording-links.create': {
    method: 'POST',
    path: '/sessions/{session_id}/recording-links',
    summary: 'Create a link with which anyone can see the recording of a session until it expires',
    description:
      'The link gives access only to the artifacts of the session. It works until it expires, until it is revoked like ' +
      'a watch link, or until the key that created it is revoked. It counts as one of the ' +
      `${MAX_WATCH_LINKS_PER_SESSION} links of the session.`,
    access: 'borrow',
    params: sessionParams,
    query: none,
    body: strict({
      expires_in: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_RECORDING_LINK_MINUTES,
          default: DEFAULT_RECORDING_LINK_MINUTES,
          description: 'Time until the link expires, in minutes',
        }),
      ),
    }),
    answer: CreatedRecordingLink,
    errors: ['sessionNotFound', 'notSupported', 'quotaExceeded', 'idempotencyConflict'],
    idempotencyKey: true,
  },
  'sessions.watch-links.revoke': {
    method: 'DELETE',
    path: '/sessions/{session_id}/watch-links/{link_id}',
    summary: 'Revoke a watch link; idempotent',
    description:
      'Viewers that use the link are disconnected within 5 s (close code 4003). The session continues.',
    access: 'borrow',
    params: strict({
      ...sessionParams.properties,
      link_id: Type.String({ description: 'Watch link identifier' }),
    }),
    query: none,
    body: none,
    answer: WatchLink,
    errors: ['sessionNotFound', 'resourceNotFound'],
  },
} as const satisfies Record<string, Operation>;
