import { describe, expect, test } from 'vitest';
import { StreamReader } from './stream-socket.ts';

const message = (...bytes: number[]) => new Uint8Array(bytes).buffer;
const started = () => {
  const reader = new StreamReader();
  reader.read(message(0x68, 0x32, 0x36, 0x34));
  return reader;
};

describe('StreamReader', () => {
  test('reads the codec id first, and only once', () => {
    const reader = new StreamReader();
    expect(reader.read(message(0x68, 0x32, 0x36, 0x34))).toBeNull();
    expect(() => reader.read(message(0x68, 0x32, 0x36, 0x34))).toThrow('at least 12 bytes');
  });

  test.each([
    ['another codec', message(0x68, 0x32, 0x36, 0x35)],
    ['a packet', message(0x80, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1)],
    ['nothing', message()],
  ])('rejects a stream that begins with %s', (_, first) => {
    expect(() => new StreamReader().read(first)).toThrow('H.264 codec id');
  });

  test('reads the video size', () => {
    const packet = started().read(message(0x80, 0, 0, 0, 0, 0, 0x02, 0x1c, 0, 0, 0x04, 0xb0));
    expect(packet).toEqual({ type: 'session', width: 540, height: 1200 });
  });

  test('reads a keyframe with its timestamp', () => {
    const packet = started().read(message(0x20, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 7, 8, 9));
    expect(packet).toEqual({ type: 'keyframe', pts: 0x1_0000_0002, data: new Uint8Array([7, 8, 9]) });
  });

  test('rejects a packet that is shorter than its header declares', () => {
    expect(() => started().read(message(0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 3, 7, 8))).toThrow(
      'declares 3 bytes',
    );
  });
});
