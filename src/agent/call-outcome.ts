import { DriverError } from '../drivers/driver.ts';

export interface CallFailure {
  kind: 'unsupported' | 'failed';
  message: string;
}

/** Outcome of a call. */
export type Outcome = { result: unknown } | { error: CallFailure };

/** Returns the failure as the client receives it. `signal`: that of the call. */
export function describeFailure(error: unknown, signal: AbortSignal): CallFailure {
  if (error instanceof DriverError) return { kind: error.kind, message: error.message };
  if (signal.aborted)
    return {
      kind: 'failed',
      message: 'the phone did not answer in time; look at its screen before you try again',
    };
  return { kind: 'failed', message: 'the phone could not execute the command; the log of its host says why' };
}
