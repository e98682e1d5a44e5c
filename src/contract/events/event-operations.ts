import { none, type Operation } from '../http/operation.ts';
import { EVENTS } from './event.ts';

export const eventOperations = {
  'events.listen': {
    method: 'GET',
    path: '/events',
    summary: 'Listen to what changes of the phones and of own sessions, as server-sent events',
    description:
      'Each event tells what a phone or session is now; several changes may be one event, and one may come twice. With ' +
      '`Last-Event-ID`, the last id that was seen, a client goes on where it left off; when that is too long ago the first ' +
      'event is `reset`, and the lists are to be read again. A comment comes every 15 s. A client that does not read is ' +
      'cut off, and may come back.',
    access: 'read',
    params: none,
    query: none,
    body: none,
    answer: 'text/event-stream',
    events: EVENTS,
    errors: ['rateLimited'],
  },
} as const satisfies Record<string, Operation>;
