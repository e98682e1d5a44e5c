/**
 * scrcpy's control messages (version 3.3.3), from client to device, big-endian. Each message is declared once, as its
 * type and its fields in wire order. The parser, the encoder and the TypeScript types follow from the declaration.
 * Source: scrcpy app/src/control_msg.c and server/.../ControlMessageReader.java.
 */
import { MAX_NOTCHES } from './gestures.ts';
import {
  bool,
  bytes16,
  type Field,
  FieldReader,
  FieldWriter,
  i16FixedPoint,
  i32,
  text8,
  text32,
  u8,
  u16,
  u16FixedPoint,
  u32,
  u64,
} from './scrcpy-fields.ts';
import { RESET_VIDEO } from './stream-packets.ts';

/** Maximum length of a `text` message: SC_CONTROL_MSG_INJECT_TEXT_MAX_LENGTH. */
export const MAX_INJECT_TEXT_BYTES = 300;
/**
 * Maximum length of a HID descriptor: HID_MAX_DESCRIPTOR_SIZE. The phone's kernel rejects a longer or empty one,
 * which ends scrcpy's server.
 */
const MAX_DESCRIPTOR_BYTES = 4096;
/** Maximum length of any message: SC_CONTROL_MSG_MAX_SIZE. */
export const MAX_CONTROL_MESSAGE_BYTES = 1 << 18;

/** Actions of a touch: those of Android's MotionEvent. */
export const TOUCH_ACTIONS = { down: 0, up: 1, move: 2, cancel: 3 } as const;
export type TouchAction = keyof typeof TOUCH_ACTIONS;
/** Actions of a key: those of Android's KeyEvent. */
export const KEY_ACTIONS = { down: 0, up: 1 } as const;

const TOUCH_ACTION_NAMES = Object.keys(TOUCH_ACTIONS) as TouchAction[];

/** Returns the name of a touch's action; undefined if it is another action of MotionEvent, or invalid. */
export const touchActionOf = (action: number): TouchAction | undefined =>
  TOUCH_ACTION_NAMES.find((name) => TOUCH_ACTIONS[name] === action);

/** A point of the video frame, and the size of the frame that it refers to. */
const position = { x: i32, y: i32, screenWidth: u16, screenHeight: u16 };
const notches = i16FixedPoint(MAX_NOTCHES);

const MESSAGES = {
  key: { code: 0, fields: { action: u8, keycode: u32, repeat: u32, meta: u32 } },
  text: {
    code: 1,
    fields: {
      text: text32(MAX_INJECT_TEXT_BYTES, `injected text must have at most ${MAX_INJECT_TEXT_BYTES} bytes`),
    },
  },
  touch: {
    code: 2,
    fields: {
      action: u8,
      pointer: u64,
      ...position,
      pressure: u16FixedPoint,
      actionButton: u32,
      buttons: u32,
    },
  },
  scroll: { code: 3, fields: { ...position, horizontal: notches, vertical: notches, buttons: u32 } },
  'back-or-screen-on': { code: 4, fields: { action: u8 } },
  'expand-notifications': { code: 5, fields: {} },
  'expand-settings': { code: 6, fields: {} },
  'collapse-panels': { code: 7, fields: {} },
  'get-clipboard': { code: 8, fields: { copyKey: u8 } },
  'set-clipboard': { code: 9, fields: { sequence: u64, paste: bool, text: text32() } },
  'display-power': { code: 10, fields: { on: bool } },
  rotate: { code: 11, fields: {} },
  'uhid-create': {
    code: 12,
    fields: {
      id: u16,
      vendor: u16,
      product: u16,
      name: text8,
      descriptor: bytes16(
        1,
        MAX_DESCRIPTOR_BYTES,
        `the report descriptor of a UHID device must have 1 to ${MAX_DESCRIPTOR_BYTES} bytes`,
      ),
    },
  },
  'uhid-input': { code: 13, fields: { id: u16, data: bytes16() } },
  'uhid-destroy': { code: 14, fields: { id: u16 } },
  'keyboard-settings': { code: 15, fields: {} },
  'start-app': { code: 16, fields: { name: text8 } },
  'reset-video': { code: RESET_VIDEO[0]!, fields: {} },
} as const satisfies Record<string, { code: number; fields: Record<string, Field<unknown>> }>;

type FieldsByType = {
  [T in keyof typeof MESSAGES]: {
    -readonly [F in keyof (typeof MESSAGES)[T]['fields']]: (typeof MESSAGES)[T]['fields'][F] extends Field<
      infer V
    >
      ? V
      : never;
  };
};
export type ScrcpyControlMessage = {
  [T in keyof FieldsByType]: { type: T } & FieldsByType[T];
}[keyof FieldsByType];

type Declaration = readonly [type: string, code: number, fields: readonly [string, Field<unknown>][]];
const declarations = Object.entries(MESSAGES).map(
  ([type, { code, fields }]): Declaration => [type, code, Object.entries(fields)],
);
const byType = new Map(declarations.map((declaration) => [declaration[0], declaration]));
const byCode = new Map(declarations.map((declaration) => [declaration[1], declaration]));

/**
 * Parses one whole control message.
 * @throws RangeError that describes the problem, when the type is unknown or the length does not match it
 */
export function parseScrcpyControl(bytes: Uint8Array): ScrcpyControlMessage {
  if (bytes.length === 0) throw new RangeError('a control message must have at least one byte');
  if (bytes.length > MAX_CONTROL_MESSAGE_BYTES)
    throw new RangeError(`a control message must have at most ${MAX_CONTROL_MESSAGE_BYTES} bytes`);
  const declaration = byCode.get(bytes[0]!);
  if (!declaration)
    throw new RangeError(
      `control message type ${bytes[0]} is not supported; the types are those of scrcpy 3.3.3`,
    );
  const [type, code, fields] = declaration;
  const reader = new FieldReader(bytes, `control message ${code}`);
  const message: Record<string, unknown> = { type };
  for (const [name, field] of fields) message[name] = field.read(reader);
  reader.end();
  return message as ScrcpyControlMessage;
}

/** Encodes one control message. @throws RangeError when a text or a byte field has a length that is not allowed */
export function encodeScrcpyControl(message: ScrcpyControlMessage): Uint8Array<ArrayBuffer> {
  const [, code, fields] = byType.get(message.type)!;
  const writer = new FieldWriter();
  u8.write(writer, code);
  for (const [name, field] of fields) field.write(writer, (message as Record<string, unknown>)[name]);
  return writer.bytes();
}
