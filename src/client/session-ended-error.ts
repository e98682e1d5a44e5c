/**
 * The session has ended. `reason` is one of the contract's end reasons; `detail` is the message of an operator or the
 * phone.
 */
export class SessionEndedError extends Error {
  readonly reason: string;
  readonly detail: string | null;
  constructor(reason: string, detail: string | null) {
    super(`the session has ended (${reason}${detail === null ? '' : `: ${detail}`})`);
    this.name = 'SessionEndedError';
    this.reason = reason;
    this.detail = detail;
  }
}
