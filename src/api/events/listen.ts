import { implement } from '../implement.ts';

export const listenToEvents = implement('events.listen', ({ events }, { principal, lastEventId }) =>
  events.listen(principal, lastEventId),
);
