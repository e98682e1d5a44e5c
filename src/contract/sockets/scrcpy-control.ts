/**
 * scrcpy's control messages (version 3.3.3), from client to device, big-endian.
 * Source: scrcpy app/src/control_msg.c and server/.../ControlMessageReader.java.
 */

export type ScrcpyControlMessage =
  | { type: 'key'; action: number; keycode: number; repeat: number; meta: number }
  | { type: 'text'; text: string }
  | {
      type: 'touch';
      action: number;
      pointer: bigint;
      x: number;
      y: number;
      screenWidth: number;
      screenHeight: number;
      pressure: number;
      actionButton: number;
      buttons: number;
    }
  | {
      type: 'scroll';
      x: number;
      y: number;
      screenWidth: number;
      screenHeight: number;
      /** In wheel notches, from -16 to 16. */
      horizontal: number;
      vertical: number;
      buttons: number;
    }
  | { type: 'back-or-screen-on'; action: number }
  | {
      type:
        | 'expand-notifications'
        | 'expand-settings'
        | 'collapse-panels'
        | 'rotate'
        | 'keyboard-settings'
        | 'reset-video';
    }
  | { type: 'get-clipboard'; copyKey: number }
  | { type: 'set-clipboard'; sequence: bigint; paste: boolean; text: string }
  | { type: 'display-power'; on: boolean }
  | { type: 'uhid-create' | 'uhid-input' | 'uhid-destroy'; id: number }
  | { type: 'start-app'; name: string };

/** Maximum length of a `text` message: SC_CONTROL_MSG_INJECT_TEXT_MAX_LENGTH. */
export const MAX_INJECT_TEXT_BYTES = 300;
/**
 * Maximum length of a HID descriptor: HID_MAX_DESCRIPTOR_SIZE. The phone's kernel rejects a longer or empty one,
 * which ends scrcpy's server.
 */
const MAX_DESCRIPTOR_BYTES = 4096;
/** Maximum length of any message: SC_CONTROL_MSG_MAX_SIZE. */
export const MAX_CONTROL_MESSAGE_BYTES = 1 << 18;

const SIMPLE: Record<number, ScrcpyControlMessage> = {
  5: { type: 'expand-notifications' },
  6: { type: 'expand-settings' },
  7: { type: 'collapse-panels' },
  11: { type: 'rotate' },
  15: { type: 'keyboard-settings' },
  17: { type: 'reset-video' },
};

const decoder = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the fields of a message in order. It throws on a read past the end, and at the end when unread bytes remain.
 */
class Reader {
  private offset = 1;
  private readonly view: DataView;
  private readonly bytes: Uint8Array;
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
  private take(length: number): number {
    const start = this.offset;
    if (start + length > this.bytes.length) {
      throw new RangeError(`control message ${this.bytes[0]} is truncated at ${this.bytes.length} bytes`);
    }
    this.offset = start + length;
    return start;
  }
  u8 = () => this.view.getUint8(this.take(1));
  u16 = () => this.view.getUint16(this.take(2));
  i16 = () => this.view.getInt16(this.take(2));
  u32 = () => this.view.getUint32(this.take(4));
  i32 = () => this.view.getInt32(this.take(4));
  u64 = () => this.view.getBigUint64(this.take(8));
  raw(length: number): Uint8Array {
    const start = this.take(length);
    return this.bytes.subarray(start, start + length);
  }
  text(length: number): string {
    try {
      return decoder.decode(this.raw(length));
    } catch (error) {
      if (error instanceof RangeError) throw error;
      throw new RangeError(`the text of control message ${this.bytes[0]} is not UTF-8`);
    }
  }
  end(): void {
    const left = this.bytes.length - this.offset;
    if (left > 0) throw new RangeError(`control message ${this.bytes[0]} has ${left} trailing bytes`);
  }
}

/**
 * Parses one whole control message.
 * @throws RangeError that describes the problem, when the type is unknown or the length does not match it
 */
export function parseScrcpyControl(bytes: Uint8Array): ScrcpyControlMessage {
  if (bytes.length === 0) throw new RangeError('a control message must have at least one byte');
  if (bytes.length > MAX_CONTROL_MESSAGE_BYTES)
    throw new RangeError(`a control message must have at most ${MAX_CONTROL_MESSAGE_BYTES} bytes`);
  const reader = new Reader(bytes);
  const message = SIMPLE[bytes[0]!] ?? readFields(bytes[0]!, reader);
  reader.end();
  return message;
}

function readFields(type: number, r: Reader): ScrcpyControlMessage {
  switch (type) {
    case 0:
      return { type: 'key', action: r.u8(), keycode: r.u32(), repeat: r.u32(), meta: r.u32() };
    case 1:
      return { type: 'text', text: readInjectedText(r) };
    case 2:
      return readTouch(r);
    case 3:
      return readScroll(r);
    case 4:
      return { type: 'back-or-screen-on', action: r.u8() };
    case 8:
      return { type: 'get-clipboard', copyKey: r.u8() };
    case 9:
      return { type: 'set-clipboard', sequence: r.u64(), paste: r.u8() !== 0, text: r.text(r.u32()) };
    case 10:
      return { type: 'display-power', on: r.u8() !== 0 };
    case 12:
      return readUhidCreate(r);
    case 13: {
      const id = r.u16();
      r.raw(r.u16());
      return { type: 'uhid-input', id };
    }
    case 14:
      return { type: 'uhid-destroy', id: r.u16() };
    case 16:
      return { type: 'start-app', name: r.text(r.u8()) };
    default:
      throw new RangeError(`control message type ${type} is not supported`);
  }
}

function readInjectedText(r: Reader): string {
  const length = r.u32();
  if (length > MAX_INJECT_TEXT_BYTES)
    throw new RangeError(`injected text must have at most ${MAX_INJECT_TEXT_BYTES} bytes`);
  return r.text(length);
}

function readTouch(r: Reader): ScrcpyControlMessage {
  return {
    type: 'touch',
    action: r.u8(),
    pointer: r.u64(),
    x: r.i32(),
    y: r.i32(),
    screenWidth: r.u16(),
    screenHeight: r.u16(),
    // Unsigned 16-bit fixed point, in which 0xffff represents 1 (sc_float_to_u16fp).
    pressure: r.u16() / 0xffff,
    actionButton: r.u32(),
    buttons: r.u32(),
  };
}

function readScroll(r: Reader): ScrcpyControlMessage {
  return {
    type: 'scroll',
    x: r.i32(),
    y: r.i32(),
    screenWidth: r.u16(),
    screenHeight: r.u16(),
    // Signed 16-bit fixed point from -1 to 1, which represents -16 to 16 notches since scrcpy 3.0.
    horizontal: (r.i16() / 0x8000) * 16,
    vertical: (r.i16() / 0x8000) * 16,
    buttons: r.u32(),
  };
}

function readUhidCreate(r: Reader): ScrcpyControlMessage {
  const id = r.u16();
  r.u16(); // vendor id
  r.u16(); // product id
  r.text(r.u8()); // name
  const descriptorBytes = r.u16();
  r.raw(descriptorBytes);
  if (descriptorBytes === 0 || descriptorBytes > MAX_DESCRIPTOR_BYTES)
    throw new RangeError(
      `the report descriptor of a UHID device must have 1 to ${MAX_DESCRIPTOR_BYTES} bytes`,
    );
  return { type: 'uhid-create', id };
}
