import type { RecordedLogLine } from '../../contract/recording/recording-event.ts';
import type { ControlNotifications } from '../../contract/sockets/control-notifications.ts';
import type { EventBody } from './client-events.ts';
import { type EarlierParts, EVENTS_FILE, LOG_FILE } from './recording-folder.ts';

const MAX_LOG_BYTES = 20 * 1024 * 1024;
const MAX_EVENT_BYTES = 20 * 1024 * 1024;
const LONG_LOG = 'the log is longer than 20 MB; its end was not recorded';
const LONG_EVENTS = 'the events are longer than 20 MB; their end was not recorded';
const MAX_MESSAGE_LENGTH = 4_000;

type LogLine = ControlNotifications['log.line'];

/** The events and the log of one recording. Each ends at its maximum size, and the recording continues without it. */
export class LineRecorder {
  private readonly append: (name: string, bytes: Uint8Array) => void;
  private logBytes = 0;
  private eventBytes = 0;
  private haveEventsEnded = false;
  private readonly incompleteReasons = new Set<string>();

  constructor(append: (name: string, bytes: Uint8Array) => void) {
    this.append = append;
  }

  /** Continues after the lines of earlier processes. */
  open({ logBytes, eventBytes }: EarlierParts): void {
    this.logBytes = logBytes;
    if (logBytes >= MAX_LOG_BYTES) this.incompleteReasons.add(LONG_LOG);
    this.eventBytes = eventBytes;
    this.haveEventsEnded = eventBytes >= MAX_EVENT_BYTES;
    if (this.haveEventsEnded) this.incompleteReasons.add(LONG_EVENTS);
  }

  /** Whether another event would be recorded. */
  get canAddEvent(): boolean {
    return !this.haveEventsEnded;
  }

  /** What is missing in the recording although it continues, or null. */
  get incompleteReason(): string | null {
    return [...this.incompleteReasons].join('; ') || null;
  }

  /** @param t the time of the recording */
  logLine(t: number, { message, ...line }: LogLine): void {
    if (this.logBytes >= MAX_LOG_BYTES) return;
    const recorded: RecordedLogLine = { t, ...line, message: message.slice(0, MAX_MESSAGE_LENGTH) };
    this.logBytes += this.addLine(LOG_FILE, recorded);
    if (this.logBytes >= MAX_LOG_BYTES) this.incompleteReasons.add(LONG_LOG);
  }

  /** @param now the current time of the recording, which may be later than that of the event, `t` */
  event(t: number, body: EventBody, now: number): void {
    if (this.haveEventsEnded) return;
    this.eventBytes += this.addLine(EVENTS_FILE, { t, ...body });
    // The video continues. Otherwise, a client could end its recording with many commands.
    if (this.eventBytes < MAX_EVENT_BYTES) return;
    this.incompleteReasons.add(LONG_EVENTS);
    this.endEvents(now, LONG_EVENTS);
  }

  /** Writes the last line of the events. */
  endEvents(t: number, reason: string | null): void {
    if (this.haveEventsEnded) return;
    this.haveEventsEnded = true;
    this.addLine(EVENTS_FILE, { t, type: 'stopped', reason });
  }

  private addLine(name: string, line: object): number {
    const bytes = Buffer.from(`${JSON.stringify(line)}\n`);
    this.append(name, bytes);
    return bytes.length;
  }
}
