import type { RecordingEvent } from '../contract/recording/recording-event.ts';
import { oneLine } from '../util/one-line.ts';

/** Maximum number of bytes of the events that are read. */
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_LINE = 64 * 1024;
const MAX_SHOWN_LINE = 300;
/** Maximum length of the answer, so that it fits the context of a model. */
const MAX_CHARS = 20_000;

export interface Trajectory {
  lines: string[];
  /** Number of events in the recording. */
  total: number;
  /** Offset of the first event after these lines; null: these are the last ones. */
  next: number | null;
}

/** Reads the events of a recording, one compact line each. Moves of a finger are left out. */
export async function readTrajectory(
  bytes: AsyncIterable<Uint8Array>,
  { offset, limit }: { offset: number; limit: number },
): Promise<Trajectory> {
  const lines: string[] = [];
  let total = 0;
  let chars = 0;
  let isFull = false;
  for await (const line of linesIn(bytes)) {
    const event = parse(line);
    const text = event && describe(event);
    if (!text) continue;
    total += 1;
    if (total <= offset || isFull) continue;
    const shown = `${(event.t / 1000).toFixed(1)} s  ${oneLine(text, MAX_SHOWN_LINE)}`;
    chars += shown.length + 1;
    if (lines.length >= limit || chars > MAX_CHARS) isFull = true;
    else lines.push(shown);
  }
  const next = offset + lines.length;
  return { lines, total, next: next < total ? next : null };
}

/** A line that is too long is dropped, and so is the rest of a file that is too large. */
async function* linesIn(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let read = 0;
  for await (const chunk of bytes) {
    read += chunk.length;
    if (read > MAX_BYTES) return;
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop()!.slice(0, MAX_LINE);
    yield* lines.filter(({ length }) => length < MAX_LINE);
  }
}

function parse(line: string): RecordingEvent | null {
  try {
    const event: unknown = JSON.parse(line);
    const isEvent = typeof event === 'object' && event !== null && 'type' in event && 't' in event;
    return isEvent && typeof event.t === 'number' ? (event as RecordingEvent) : null;
  } catch {
    return null;
  }
}

/** Returns null for a type that this version does not know, and for moves of a finger. */
function describe(event: RecordingEvent): string | null {
  switch (event.type) {
    case 'started':
      return `started at ${event.at}`;
    case 'touch':
      return event.action === 'move' ? null : `touch ${event.action} at ${event.x}, ${event.y}`;
    case 'command':
      return `${event.method} ${JSON.stringify(event.params)} by ${event.by}${result(event)}`;
    case 'input':
      return `input ${event.kind} ${event.detail ?? ''}`.trim();
    case 'rotation':
      return `rotated to ${event.width}x${event.height}`;
    case 'app':
      return `app ${event.app_id ?? ''} ${event.status}${failure(event)}`;
    case 'takeover':
      return `control taken by ${event.by ?? 'another client'}`;
    case 'webdriver':
      return `WebDriver ${event.name}${result(event)}`;
    case 'mark':
      return `mark: ${event.label}`;
    case 'screenshot':
      return `screenshot ${event.name}`;
    case 'stopped':
      return event.reason === null ? 'the session ended' : `the recording stopped: ${event.reason}`;
    default:
      return null;
  }
}

const failure = ({ error }: { error?: string }) => (error === undefined ? '' : `, failed: ${error}`);
const result = (event: { ms: number; error?: string }) => `, ${Math.round(event.ms)} ms${failure(event)}`;
