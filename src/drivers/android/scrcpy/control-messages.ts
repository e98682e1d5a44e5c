/**
 * Control messages of scrcpy 3.3.3, host to phone, big-endian.
 * Source: scrcpy app/src/control_msg.c and server/.../control/ControlMessageReader.java.
 */

const KEY = 0;
const TEXT = 1;
const TOUCH = 2;
const SCROLL = 3;
const SET_CLIPBOARD = 9;
const ROTATE_DEVICE = 11;
const RESET_VIDEO = 17;

/** The number of wheel notches that the value 1 stands for, since scrcpy 3.0. */
const MAX_NOTCHES = 16;

/** Actions of Android's MotionEvent. */
export const TOUCH_ACTIONS = { down: 0, up: 1, move: 2, cancel: 3 } as const;
/** Actions of Android's KeyEvent. */
export const KEY_ACTIONS = { down: 0, up: 1 } as const;

export const RESET_VIDEO_MESSAGE = Buffer.from([RESET_VIDEO]);
export const ROTATE_MESSAGE = Buffer.from([ROTATE_DEVICE]);

/** A position in the video, as fractions of its size, and the video's current size. */
export interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
}

export function keyMessage(action: number, keycode: number, meta: number): Buffer {
  const bytes = Buffer.alloc(14);
  bytes[0] = KEY;
  bytes[1] = action;
  bytes.writeUInt32BE(keycode, 2);
  bytes.writeUInt32BE(meta, 10);
  return bytes;
}

/** At most 300 bytes of UTF-8. */
export function textMessage(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([TEXT]), uint32(bytes.length), bytes]);
}

export function touchMessage(action: number, pointer: number, place: Place, pressure: number): Buffer {
  const bytes = Buffer.alloc(32);
  bytes[0] = TOUCH;
  bytes[1] = action;
  bytes.writeBigUInt64BE(BigInt(pointer), 2);
  writePlace(bytes, 10, place);
  bytes.writeUInt16BE(Math.min(0xffff, Math.round(pressure * 0x1_0000)), 22);
  return bytes;
}

/** `right` and `up` in notches of a wheel. */
export function scrollMessage(place: Place, right: number, up: number): Buffer {
  const bytes = Buffer.alloc(21);
  bytes[0] = SCROLL;
  writePlace(bytes, 1, place);
  bytes.writeInt16BE(fixedPoint(right / MAX_NOTCHES), 13);
  bytes.writeInt16BE(fixedPoint(up / MAX_NOTCHES), 15);
  return bytes;
}

/** The phone acknowledges a sequence that is not 0. */
export function setClipboardMessage(sequence: bigint, text: string, paste: boolean): Buffer {
  const bytes = Buffer.from(text);
  const head = Buffer.alloc(10);
  head[0] = SET_CLIPBOARD;
  head.writeBigUInt64BE(sequence, 1);
  head[9] = paste ? 1 : 0;
  return Buffer.concat([head, uint32(bytes.length), bytes]);
}

/** Fraction 1 is clamped to the last pixel, so that the right and lower edges belong to the video. */
function writePlace(bytes: Buffer, at: number, { x, y, width, height }: Place): void {
  bytes.writeInt32BE(Math.min(width - 1, Math.floor(x * width)), at);
  bytes.writeInt32BE(Math.min(height - 1, Math.floor(y * height)), at + 4);
  bytes.writeUInt16BE(width, at + 8);
  bytes.writeUInt16BE(height, at + 10);
}

/** Encodes -1 to 1 as a signed 16-bit fixed-point number (sc_float_to_i16fp). */
function fixedPoint(value: number): number {
  return Math.max(-0x8000, Math.min(0x7fff, Math.round(value * 0x8000)));
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
