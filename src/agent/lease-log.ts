import type { ControlNotifications } from '../contract/sockets/control-notifications.ts';

type LogLine = ControlNotifications['log.line'];

/** Maximum number of lines that are kept. When there are more, the oldest are dropped. All of them fit in one message. */
const MAX_LINES = 1_000;
const MAX_MESSAGE_LENGTH = 400;

/** The receivers of a phone's log: the client that has control, the WebDriver session, and the recording. */
export class LeaseLog {
  private isSent = false;
  private kept: LogLine[] | null = null;
  private record: ((line: LogLine) => void) | null = null;

  get isKept(): boolean {
    return this.kept !== null;
  }

  get isWanted(): boolean {
    return this.isSent || this.isKept || this.record !== null;
  }

  /** Sets whether the controller receives the log. */
  setSent(isSent: boolean): void {
    this.isSent = isSent;
  }

  /** Sets whether lines are kept for the WebDriver session. */
  setKept(isKept: boolean): void {
    this.kept = isKept ? (this.kept ?? []) : null;
  }

  /** Sets the recorder of the log; null: the log is not recorded. */
  recordWith(record: ((line: LogLine) => void) | null): void {
    this.record = record;
  }

  /** Returns whether the controller receives the line. */
  add(line: LogLine): boolean {
    this.record?.(line);
    if (this.kept) {
      this.kept.push({ ...line, message: line.message.slice(0, MAX_MESSAGE_LENGTH) });
      if (this.kept.length > MAX_LINES) this.kept.shift();
    }
    return this.isSent;
  }

  /** The lines since the last call. */
  take(): LogLine[] {
    return this.kept?.splice(0) ?? [];
  }
}
