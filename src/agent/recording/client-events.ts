import type { AutomationCommand } from '../../bus/messages.ts';
import type { RecordingEvent } from '../../contract/recording/recording-event.ts';
import type { ControlParams, PhoneMethod } from '../../contract/sockets/control-methods.ts';
import type { ControlNotifications } from '../../contract/sockets/control-notifications.ts';
import {
  parseScrcpyControl,
  type ScrcpyControlMessage,
  type TouchAction,
  touchActionOf,
} from '../../contract/sockets/scrcpy-control.ts';
import { recordedCall, recordedError, recordedInput } from './redaction.ts';

/** The recorded moves of one finger, and repeated inputs of other kinds, are at least this far apart. */
const THROTTLE_MS = 50;
/** Maximum number of fingers, or of kinds of input, that are throttled separately. */
const MAX_KEYS = 32;

type WithoutTime<E> = E extends { t: number } ? Omit<E, 't'> : never;
export type EventBody = WithoutTime<RecordingEvent>;
export type CommandSource = Extract<RecordingEvent, { type: 'command' }>['by'];

export interface PerformedCall {
  method: PhoneMethod;
  params: unknown;
  by: CommandSource;
  error?: { kind: string; message: string } | undefined;
}

type InjectedTouch = Extract<ScrcpyControlMessage, { type: 'touch' }>;
/** A touch at a point in fractions of the screen. */
type Touch = Pick<Extract<EventBody, { type: 'touch' }>, 'pointer' | 'x' | 'y'> & { action: TouchAction };

/** Converts the commands and the input of clients to events. These contain typed text only if `text` is set. */
export class ClientEvents {
  readonly text: boolean;
  private readonly record: (event: EventBody, agoMs?: number) => void;
  /** When the latest move of each finger was recorded. */
  private readonly moves = new Map<number, number>();
  private readonly inputs = new Map<string, number>();

  /** @param options.record records an event that began this long ago */
  constructor(options: { text: boolean; record: (event: EventBody, agoMs?: number) => void }) {
    this.text = options.text;
    this.record = options.record;
  }

  /** Records that a client has taken control of the phone. `by`: the name of its key. */
  takeover(by: string | null): void {
    this.record({ type: 'takeover', by });
  }

  /** Records a call that has ended, with its duration. */
  call({ method, params, by, error }: PerformedCall, ms: number): void {
    const isOther = method === 'touch' || method === 'recording.mark';
    if (isOther && !error) return;
    const call = recordedCall(method, params, this);
    const failure = error ? { error: recordedError(error, call) } : {};
    this.record({ type: 'command', method, params: call.params, by, ms: Math.round(ms), ...failure }, ms);
  }

  /** Records the start of a call of `touch`. */
  touch({ pointer = 0, action, x, y }: ControlParams<'touch'>): void {
    this.recordTouch({ pointer, action, x, y });
  }

  /** Records a scrcpy control message, which must have been validated. */
  injected(bytes: Uint8Array): void {
    const message = parseScrcpyControl(bytes);
    if (message.type === 'touch') {
      this.injectedTouch(message);
      return;
    }
    const input = recordedInput(message, this);
    if (!input) return;
    const isFrequent = input.kind === 'scroll' || input.kind === 'other';
    if (isFrequent && !isDue(this.inputs, `${input.kind} ${message.type}`)) return;
    this.record({ type: 'input', ...input });
  }

  /** Records a command of a WebDriver client when it has ended. */
  webDriver({ name, ms, error }: AutomationCommand): void {
    if (ms !== undefined)
      this.record({ type: 'webdriver', name, ms, ...(error !== undefined && { error }) }, ms);
  }

  /** Records the start and the end of an installation, from reports of its progress. */
  install({ app_id, state, percent, message }: ControlNotifications['app.progress']): void {
    if (state === 'installing' && percent > 0) return;
    this.record({ type: 'app', app_id, status: state, ...(message !== undefined && { error: message }) });
  }

  private injectedTouch({ action, pointer, ...at }: InjectedTouch): void {
    const name = touchActionOf(action);
    if (!name) return;
    const id = Number(BigInt.asIntN(32, pointer));
    const x = fractionOf(at.x, at.screenWidth);
    const y = fractionOf(at.y, at.screenHeight);
    this.recordTouch({ pointer: id, action: name, x, y });
  }

  private recordTouch({ pointer, action, x, y }: Touch): void {
    if (action !== 'move') this.moves.delete(pointer);
    else if (!isDue(this.moves, pointer)) return;
    this.record({ type: 'touch', pointer, action: action === 'cancel' ? 'up' : action, x, y });
  }
}

/** Whether enough time has passed since the last event with this key. */
function isDue<K>(times: Map<K, number>, key: K): boolean {
  const now = performance.now();
  if (now - (times.get(key) ?? Number.NEGATIVE_INFINITY) < THROTTLE_MS) return false;
  if (times.size >= MAX_KEYS) times.clear();
  times.set(key, now);
  return true;
}

/** Four decimals are finer than a pixel of any screen. */
const fractionOf = (pixels: number, size: number) =>
  size === 0 ? 0 : Math.round((pixels / size) * 1e4) / 1e4;
