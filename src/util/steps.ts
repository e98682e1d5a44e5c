/**
 * The steps of a session's way to its user, each timed where it happens:
 * `connect`, the request until it is answered; `phone.start`, the host's part, until the first picture;
 * `session.connected`, from the session's beginning until the rows say so; `stream.link` and `control.link`, a gateway's
 * wait for its host; `stream.first-frame`, a viewer's wait for a picture; `control.ready`, a client's until it may command.
 */
export const STEPS = [
  'connect',
  'phone.start',
  'session.connected',
  'stream.link',
  'control.link',
  'stream.first-frame',
  'control.ready',
] as const;
export type StepName = (typeof STEPS)[number];

/** `abandoned`: who waited has gone, or the session has ended, before it was known. */
export type StepOutcome = 'ok' | 'failed' | 'abandoned';

export interface Step {
  /** Only the first call counts. */
  end(outcome?: StepOutcome): void;
}

/** Where parts tell how long the steps of a session took. */
export interface Steps {
  begin(name: StepName, sessionId: string, options?: { startedMsAgo?: number }): Step;
}

/** For who has nobody to tell. */
export const untimed: Steps = { begin: () => ({ end: () => {} }) };
