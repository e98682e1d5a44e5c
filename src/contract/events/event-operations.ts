import { none, type Operation } from '../http/operation.ts';
import { EVENT_NAMES, EVENTS } from './event.ts';

export const eventOperations = {
  'events.listen': {
    method: 'GET',
    path: '/events',
    summary: 'Stream changes of devices and of the account’s sessions as server-sent events',
    description:
      'Each event contains the current state of a device or session. Several changes may be merged into ' +
      'one event, and an event may be repeated. A client resumes with `Last-Event-ID`, the id of the last ' +
      'event that it received. If that event is no longer stored, the first event is `reset`, and the ' +
      'client must fetch the lists again. The service sends a comment every 15 s. A client that reads too ' +
      'slowly is disconnected and can reconnect.',
    access: 'read',
    params: none,
    query: none,
    body: none,
    answer: 'text/event-stream',
    events: Object.fromEntries(EVENT_NAMES.map((name) => [name, EVENTS[name].data])),
    errors: ['rateLimited'],
  },
} as const satisfies Record<string, Operation>;
