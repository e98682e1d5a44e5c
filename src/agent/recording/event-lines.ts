import type { RecordingEvent } from '../../contract/recording/recording-event.ts';
import type { ControlParams, PhoneMethod } from '../../contract/sockets/control-methods.ts';
import { parseScrcpyControl, type ScrcpyControlMessage } from '../../contract/sockets/scrcpy-control.ts';
import { recordedCall, recordedError, recordedInput } from './redaction.ts';

/** The recorded moves of one finger, and repeated inputs of other kinds, are at least this far apart. */
const THROTTLE_MS = 50;
/** Maximum number of fingers whose moves are throttled apart from each other. */
const MAX_POINTERS = 32;

/** ACTION_DOWN, ACTION_UP, ACTION_MOVE and ACTION_CANCEL of Android's MotionEvent. */
const TOUCH_ACTIONS: Record<number, 'down' | 'up' | 'move' | undefined> = {
  0: 'down',
  1: 'up',
  2: 'move',
  3: 'up',
};

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
type TouchEvent = Extract<EventBody, { type: 'touch' }>;

/** Converts what clients do with a phone to events, without what is typed unless `text` is set. */
export class EventLines {
  readonly text: boolean;
  /** When the latest move of each finger was recorded. */
  private readonly moves = new Map<number, number>();
  private readonly inputs = new Map<string, number>();

  constructor({ text }: { text: boolean }) {
    this.text = text;
  }

  /** The event of a call that has ended. Null: it is recorded otherwise. */
  command({ method, params, by, error }: PerformedCall, ms: number): EventBody | null {
    const isOther = method === 'touch' || method === 'recording.mark';
    if (isOther && !error) return null;
    const call = recordedCall(method, params, this);
    return {
      type: 'command',
      ...{ method, params: call.params, by, ms: Math.round(ms) },
      ...(error && { error: recordedError(error, call) }),
    };
  }

  /** The event of a `touch` call. Null: it follows another move too soon. */
  touch({ pointer = 0, action, x, y }: ControlParams<'touch'>, now: number): EventBody | null {
    return this.throttled({ type: 'touch', pointer, action: action === 'cancel' ? 'up' : action, x, y }, now);
  }

  /** The event of a scrcpy control message that has been validated. Null: it is not recorded. */
  injected(bytes: Uint8Array, now: number): EventBody | null {
    const message = parseScrcpyControl(bytes);
    if (message.type === 'touch') return this.injectedTouch(message, now);
    const input = recordedInput(message, this);
    if (!input) return null;
    const isFrequent = input.kind === 'scroll' || input.kind === 'other';
    if (isFrequent && !this.isDue(this.inputs, `${input.kind} ${message.type}`, now)) return null;
    return { type: 'input', ...input };
  }

  private injectedTouch({ action, pointer, ...at }: InjectedTouch, now: number): EventBody | null {
    const name = TOUCH_ACTIONS[action];
    if (!name) return null;
    const id = Number(BigInt.asIntN(32, pointer));
    const x = fractionOf(at.x, at.screenWidth);
    return this.throttled(
      { type: 'touch', pointer: id, action: name, x, y: fractionOf(at.y, at.screenHeight) },
      now,
    );
  }

  private throttled(touch: TouchEvent, now: number): TouchEvent | null {
    if (touch.action === 'move') return this.isDue(this.moves, touch.pointer, now) ? touch : null;
    this.moves.delete(touch.pointer);
    return touch;
  }

  private isDue<K>(times: Map<K, number>, key: K, now: number): boolean {
    if (now - (times.get(key) ?? Number.NEGATIVE_INFINITY) < THROTTLE_MS) return false;
    if (times.size >= MAX_POINTERS) times.clear();
    times.set(key, now);
    return true;
  }
}

/** Four decimals are finer than a pixel of any screen. */
const fractionOf = (pixels: number, size: number) =>
  size === 0 ? 0 : Math.round((pixels / size) * 1e4) / 1e4;
