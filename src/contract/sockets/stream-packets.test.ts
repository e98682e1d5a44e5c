import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodePacket,
  encodePacket,
  encodePreamble,
  type MediaPacket,
  packetType,
  toLayoutV3,
} from './stream-packets.ts';

const hex = (text: string) => new Uint8Array(Buffer.from(text.replaceAll(/\s/g, ''), 'hex'));
const text = (bytes: Uint8Array | null) => bytes && Buffer.from(bytes).toString('hex');
const same = (literal: string) => literal.replaceAll(/\s/g, '');

describe('the preamble', () => {
  it('consists of the codec and, in the older layout, the size', () => {
    const size = { width: 540, height: 1200 };
    expect(text(encodePreamble('scrcpy.v4', size))).toBe('68323634');
    expect(text(encodePreamble('scrcpy.v3', size))).toBe(same('68323634 0000021c 000004b0'));
  });
});

describe('a packet in layout v4', () => {
  it.each([
    ['a session', { type: 'session', width: 540, height: 1200 }, '80000000 0000021c 000004b0'],
    [
      'a config',
      { type: 'config', pts: 0, data: hex('0000000167') },
      '40000000 00000000 00000005 0000000167',
    ],
    ['a keyframe', { type: 'keyframe', pts: 1, data: hex('65') }, '20000000 00000001 00000001 65'],
    ['a delta', { type: 'delta', pts: 0x1_0000_0002, data: hex('4142') }, '00000001 00000002 00000002 4142'],
    ['a late keyframe', { type: 'keyframe', pts: 2 ** 53 - 1, data: hex('') }, '201fffff ffffffff 00000000'],
  ] as const)('%s is encoded to these bytes and decoded from them', (_, packet, bytes) => {
    expect(text(encodePacket(packet))).toBe(same(bytes));
    expect(decodePacket(hex(bytes))).toEqual(packet);
    expect(packetType(hex(bytes))).toBe(packet.type);
  });

  it('round-trips with any content', () => {
    const media = fc.record({
      type: fc.constantFrom<MediaPacket['type']>('config', 'keyframe', 'delta'),
      pts: fc.maxSafeNat(),
      data: fc.uint8Array({ maxLength: 64 }),
    });
    fc.assert(
      fc.property(media, (packet) => {
        expect(decodePacket(encodePacket(packet))).toEqual(packet);
      }),
    );
  });

  it('is decoded from within a larger buffer without a copy', () => {
    const buffer = hex('ffff 00000000 00000007 00000001 41 ffff');
    const packet = decodePacket(buffer.subarray(2, 15)) as MediaPacket;
    expect(packet).toMatchObject({ type: 'delta', pts: 7 });
    expect(packet.data.buffer).toBe(buffer.buffer);
  });

  it.each([
    ['shorter than a header', '000000'],
    ['longer than its declared length', '00000000 00000000 00000001 4142'],
    ['shorter than its declared length', '00000000 00000000 00000003 4142'],
    ['a session packet with trailing bytes', '80000000 0000021c 000004b0 00'],
  ])('is rejected if it is %s', (_, bytes) => {
    expect(() => decodePacket(hex(bytes))).toThrow(RangeError);
  });
});

describe('a packet in the older layout', () => {
  it.each([
    ['a config', '40000000 00000000 00000001 67', '80000000 00000000 00000001 67'],
    ['a keyframe', '201fffff ffffffff 00000001 65', '401fffff ffffffff 00000001 65'],
    ['a delta', '00000001 00000002 00000001 41', '00000001 00000002 00000001 41'],
  ])('%s has its flags shifted by one bit', (_, v4, v3) => {
    const packet = hex(v4);
    expect(text(toLayoutV3(packet))).toBe(same(v3));
    expect(text(packet)).toBe(same(v4));
  });

  it('has no session packets', () => {
    expect(toLayoutV3(hex('80000000 0000021c 000004b0'))).toBeNull();
  });
});
