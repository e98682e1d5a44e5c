import { type Static, Type } from 'typebox';

/**
 * The lines of the artifact `events.jsonl`, one JSON object each, in chronological order. `t` is the time since the start
 * of the recording, in milliseconds, on the clock of the video. Coordinates are fractions of the screen from its top
 * left corner. A reader ignores lines of a `type` that it does not know, and a last line that is not complete.
 */
const t = Type.Number({ minimum: 0 });
const line = <Name extends string, P extends Parameters<typeof Type.Object>[0]>(type: Name, properties: P) =>
  Type.Object({ t, type: Type.Literal(type), ...properties });
const fraction = Type.Number();
const text = Type.String();

export const RecordingEvent = Type.Union([
  /** The first line. `at`: time of the host, ISO 8601 UTC. */
  line('started', { at: text, session_id: text }),
  /** One finger, of an injected touch or of a gesture. Moves are recorded at most every 50 ms. */
  line('touch', {
    pointer: Type.Integer(),
    action: Type.Enum(['down', 'move', 'up']),
    x: fraction,
    y: fraction,
  }),
  /** A control method. `params` contains typed text only if the session was created with `record_text`. */
  line('command', {
    method: text,
    params: Type.Record(Type.String(), Type.Unknown()),
    /** Which client sent it: the controller, a WebDriver client, or a request to the API. */
    by: Type.Enum(['controller', 'webdriver', 'api']),
    /** Duration in milliseconds. `t` is the time at which the command began. */
    ms: Type.Number(),
    error: Type.Optional(text),
  }),
  /** A key or text that a client injected. `detail` contains typed text only as `params` of a command does. */
  line('input', { kind: Type.Enum(['key', 'text', 'scroll', 'other']), detail: Type.Optional(text) }),
  line('rotation', { width: Type.Integer(), height: Type.Integer() }),
  /** Installation of an app that the session requested. */
  line('app', { app_id: Type.Optional(text), status: text, error: Type.Optional(text) }),
  /** A client took control of the phone. */
  line('takeover', { by: Type.Union([text, Type.Null()]) }),
  /** A command of a WebDriver client. */
  line('webdriver', { name: text, ms: Type.Number(), error: Type.Optional(text) }),
  /** A label that a client sent with `recording.mark`, such as the name of a test or of a tool call. */
  line('mark', { label: text }),
  line('screenshot', { name: text }),
  /**
   * The last line. `reason`: why the events end before the session does, for example because they reached 20 MB, after
   * which the video continues; null: the session ended.
   */
  line('stopped', { reason: Type.Union([text, Type.Null()]) }),
]);
export type RecordingEvent = Static<typeof RecordingEvent>;

/** The lines of the artifact `log.jsonl`: the parameters of `log.line`, with the time as in `RecordingEvent`. */
export interface RecordedLogLine {
  t: number;
  time: string;
  level: string;
  tag: string;
  message: string;
  app?: string;
}

/** Maximum length of the label of a mark, in characters. */
export const MAX_MARK_LENGTH = 500;
