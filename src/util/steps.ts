/**
 * The steps of a session's start, each measured where it happens:
 * `connect`: the request until its response; `phone.start`: the host's part, until the first frame;
 * `session.connected`: from the creation of the session until the store has it as connected; `stream.link` and
 * `control.link`: a gateway's wait for the host; `stream.first-frame`: a viewer's wait for a frame;
 * `control.ready`: a client's wait until it may send commands.
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

/** `abandoned`: the waiting client left, or the session ended, before the outcome was known. */
export type StepOutcome = 'ok' | 'failed' | 'abandoned';

export interface Step {
  /** Only the first call has an effect. */
  end(outcome?: StepOutcome): void;
}

/** The headers of W3C Trace Context with which a client passes its own trace on. */
export interface ClientTrace {
  traceparent?: string | undefined;
  tracestate?: string | undefined;
}

export interface StepOptions {
  startedMsAgo?: number;
  /** From the request that creates the session. */
  client?: ClientTrace | undefined;
}

/** Records the durations of the steps of a session. */
export interface Steps {
  begin(name: StepName, sessionId: string, options?: StepOptions): Step;
}

const noStep: Step = { end: () => {} };

/** Records nothing. */
export const noSteps: Steps = { begin: () => noStep };
