import type { ControlNotifications } from '../../contract/sockets/control-notifications.ts';
import type { Clock } from './ui/clock.ts';

export type LogLine = ControlNotifications['log.line'];

/**
 * Maximum number of lines per second. Further lines are dropped, and the next line that is sent is preceded by their
 * number.
 */
const MAX_LINES_PER_SECOND = 100;

/** The phone's log, sent only while a client has requested it. Lines are not kept. */
export class LogLines {
  readonly #clock: Clock;
  readonly #send: (line: LogLine) => void;
  #on = false;
  #second = 0;
  #sent = 0;
  #dropped = 0;

  constructor(clock: Clock, send: (line: LogLine) => void) {
    this.#clock = clock;
    this.#send = send;
  }

  turn(on: boolean): void {
    this.#on = on;
  }

  /** `app` is the package of the app that writes the line; the system has none. */
  write(level: string, tag: string, message: string, app?: string): void {
    if (!this.#on) return;
    const second = Math.floor(this.#clock.now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#sent = 0;
    }
    if (this.#sent >= MAX_LINES_PER_SECOND) {
      this.#dropped++;
      return;
    }
    if (this.#dropped > 0) {
      const dropped = this.#dropped;
      this.#dropped = 0;
      this.#line(
        'W',
        'log',
        `${dropped} lines were dropped: the limit is ${MAX_LINES_PER_SECOND} in a second`,
      );
    }
    this.#line(level, tag, message, app);
  }

  #line(level: string, tag: string, message: string, app?: string): void {
    this.#sent++;
    this.#send({
      time: this.#clock.date().toISOString(),
      level,
      tag,
      message,
      ...(app !== undefined && { app }),
    });
  }
}
