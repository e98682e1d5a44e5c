import { expect, test } from 'vitest';
import { parseScrcpyControl } from '../../../contract/sockets/scrcpy-control.ts';
import { keyMessage, scrollMessage, touchMessage } from './control-messages.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

// The bytes follow scrcpy's app/tests/test_control_msg_serialize.c, with other values.
test('serializes a key event', () => {
  expect(hex(keyMessage(1, 66, 0x41))).toBe('0001000000420000000000000041');
});

test('serializes a touch, including one at the far corner', () => {
  expect(hex(touchMessage(0, 3, { x: 0.5, y: 0.25, width: 1080, height: 2400 }, 1))).toBe(
    '020000000000000000030000021c0000025804380960ffff0000000000000000',
  );
  const corner = parseScrcpyControl(touchMessage(2, 0, { x: 1, y: 1, width: 1080, height: 2400 }, 0.5));
  expect(corner).toMatchObject({ x: 1079, y: 2399, screenWidth: 1080, screenHeight: 2400 });
});

test('serializes a scroll of at most 16 notches', () => {
  expect(hex(scrollMessage({ x: 0, y: 0, width: 100, height: 200 }, 1, -16))).toBe(
    '030000000000000000006400c80800800000000000',
  );
});
