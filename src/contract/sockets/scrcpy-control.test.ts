import { describe, expect, it } from 'vitest';
import { encodeScrcpyControl, MAX_CONTROL_MESSAGE_BYTES, parseScrcpyControl } from './scrcpy-control.ts';

/** Decodes hexadecimal text. The literals are those of scrcpy's app/tests/test_control_msg_serialize.c. */
const hex = (text: string) => new Uint8Array(Buffer.from(text.replaceAll(/\s/g, ''), 'hex'));
const ascii = (text: string) => Buffer.from(text, 'ascii').toString('hex');
/** Parses a message and asserts that the encoder produces the same bytes. */
const parse = (text: string) => {
  const message = parseScrcpyControl(hex(text));
  expect(Buffer.from(encodeScrcpyControl(message)).toString('hex')).toBe(text.replaceAll(/\s/g, ''));
  return message;
};

describe('a scrcpy control message', () => {
  it('can be a key event', () => {
    expect(parse('00 01 00000042 00000005 00000041')).toEqual({
      type: 'key',
      action: 1,
      keycode: 66,
      repeat: 5,
      meta: 0x41,
    });
  });

  it('can be text', () => {
    expect(parse(`01 0000000d ${ascii('hello, world!')}`)).toEqual({ type: 'text', text: 'hello, world!' });
  });

  it('can be non-ASCII text in UTF-8', () => {
    expect(parse('01 00000007 e282ac f09f9880')).toEqual({
      type: 'text',
      text: '€😀',
    });
  });

  it('can be a touch', () => {
    expect(parse('02 00 1234567887654321 00000064 000000c8 0438 0780 ffff 00000001 00000001')).toEqual({
      type: 'touch',
      action: 0,
      pointer: 0x1234567887654321n,
      x: 100,
      y: 200,
      screenWidth: 1080,
      screenHeight: 1920,
      pressure: 1,
      actionButton: 1,
      buttons: 1,
    });
  });

  it('can be a touch outside the screen with negative coordinates', () => {
    const touch = parse('02 02 ffffffffffffffff ffffffff fffffffe 0438 0780 0000 00000000 00000000');
    expect(touch).toMatchObject({ pointer: 0xffffffffffffffffn, x: -1, y: -2, pressure: 0 });
  });

  it('can be a scroll of -16 to 16 notches', () => {
    expect(parse('03 00000104 00000402 0438 0780 7fff 8000 00000001')).toEqual({
      type: 'scroll',
      x: 260,
      y: 1026,
      screenWidth: 1080,
      screenHeight: 1920,
      horizontal: (0x7fff / 0x8000) * 16,
      vertical: -16,
      buttons: 1,
    });
  });

  it('can read or set the clipboard', () => {
    expect(parse('08 01')).toEqual({ type: 'get-clipboard', copyKey: 1 });
    expect(parse(`09 0102030405060708 01 0000000d ${ascii('hello, world!')}`)).toEqual({
      type: 'set-clipboard',
      sequence: 0x0102030405060708n,
      paste: true,
      text: 'hello, world!',
    });
  });

  it.each([
    ['04 01', { type: 'back-or-screen-on', action: 1 }],
    ['05', { type: 'expand-notifications' }],
    ['06', { type: 'expand-settings' }],
    ['07', { type: 'collapse-panels' }],
    ['0a 01', { type: 'display-power', on: true }],
    ['0a 00', { type: 'display-power', on: false }],
    ['0b', { type: 'rotate' }],
    [
      '0c 002a 1234 5678 03 414243 000b 0102030405060708090a0b',
      {
        ...{ type: 'uhid-create', id: 42, vendor: 0x1234, product: 0x5678, name: 'ABC' },
        descriptor: hex('0102030405060708090a0b'),
      },
    ],
    ['0d 002a 0005 0102030405', { type: 'uhid-input', id: 42, data: hex('0102030405') }],
    ['0e 002a', { type: 'uhid-destroy', id: 42 }],
    ['0f', { type: 'keyboard-settings' }],
    [`10 07 ${ascii('firefox')}`, { type: 'start-app', name: 'firefox' }],
    ['11', { type: 'reset-video' }],
  ])('%s has the same meaning as in scrcpy', (bytes, message) => {
    expect(parse(bytes)).toEqual(message);
  });

  it('is not encoded if a field is longer than scrcpy accepts', () => {
    expect(() => encodeScrcpyControl({ type: 'text', text: 'é'.repeat(151) })).toThrow('at most 300 bytes');
    expect(() => encodeScrcpyControl({ type: 'start-app', name: 'a'.repeat(256) })).toThrow(
      'at most 255 bytes',
    );
  });

  it('is parsed from within a larger buffer', () => {
    expect(parseScrcpyControl(hex('ffff 0a01 ff').subarray(2, 4))).toEqual({
      type: 'display-power',
      on: true,
    });
  });
});

describe('a malformed scrcpy control message', () => {
  it.each([
    ['nothing', '', 'at least one byte'],
    ['an unknown type', '12', 'type 18 is not supported'],
    ['a truncated key event', '00 01 00000042', 'truncated'],
    ['text shorter than its declared length', '01 00000005 6869', 'truncated'],
    ['trailing bytes', '0b 00', '1 trailing bytes'],
    ['text that is not UTF-8', '01 00000002 c328', 'not UTF-8'],
    ['a UHID device without a report descriptor', '0c 002a 1234 5678 00 0000', '1 to 4096 bytes'],
    [
      'a UHID device with an oversized report descriptor',
      `0c 002a 1234 5678 00 1001 ${'01'.repeat(4097)}`,
      '1 to 4096 bytes',
    ],
    ['injected text longer than scrcpy accepts', `01 0000012d ${'61'.repeat(301)}`, 'at most 300 bytes'],
  ])('is rejected: %s', (_, bytes, reason) => {
    expect(() => parse(bytes)).toThrow(RangeError);
    expect(() => parse(bytes)).toThrow(reason);
  });

  it('is rejected if it exceeds the maximum length', () => {
    const long = new Uint8Array(MAX_CONTROL_MESSAGE_BYTES + 1);
    expect(() => parseScrcpyControl(long)).toThrow('at most 262144 bytes');
  });

  it('only makes the parser throw a RangeError, wherever it is truncated', () => {
    const touch = hex('02 00 1234567887654321 00000064 000000c8 0438 0780 ffff 00000001 00000001');
    for (let length = 0; length < touch.length; length++) {
      expect(() => parseScrcpyControl(touch.subarray(0, length))).toThrow(RangeError);
    }
  });
});
