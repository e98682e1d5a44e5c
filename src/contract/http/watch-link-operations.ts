import { Type } from 'typebox';
import { none, type Operation, strict } from './operation.ts';
import { PageQuery, pageSchema } from './page.ts';
import { CreatedWatchLink, MAX_WATCH_LINKS_PER_SESSION, WatchLink } from './watch-link.ts';

const session = { session_id: Type.String({ description: 'Session identifier' }) };

export const watchLinkOperations = {
  'sessions.watch-links.list': {
    method: 'GET',
    path: '/sessions/{session_id}/watch-links',
    summary: 'List the watch links of a session, newest first, including revoked ones',
    access: 'read',
    params: strict(session),
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
    params: strict(session),
    query: none,
    body: none,
    answer: CreatedWatchLink,
    errors: ['sessionNotFound', 'sessionEnded', 'quotaExceeded', 'idempotencyConflict'],
    idempotencyKey: true,
  },
  'sessions.watch-links.revoke': {
    method: 'DELETE',
    path: '/sessions/{session_id}/watch-links/{link_id}',
    summary: 'Revoke a watch link; idempotent',
    description:
      'Viewers that use the link are disconnected within 5 s (close code 4003). The session continues.',
    access: 'borrow',
    params: strict({ ...session, link_id: Type.String({ description: 'Watch link identifier' }) }),
    query: none,
    body: none,
    answer: WatchLink,
    errors: ['sessionNotFound', 'resourceNotFound'],
  },
} as const satisfies Record<string, Operation>;
