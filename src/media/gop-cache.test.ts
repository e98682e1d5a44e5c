import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodePacket, packetType } from '../contract/sockets/stream-packets.ts';
import { GopCache } from './gop-cache.ts';

const session = (width: number, height: number) => encodePacket({ type: 'session', width, height });
const media = (type: 'config' | 'keyframe' | 'delta', pts: number, bytes = 10) =>
  encodePacket({ type, pts, data: new Uint8Array(bytes) });
const fill = (cache: GopCache, packets: Uint8Array[]) => {
  for (const packet of packets) cache.push(packet);
};

test('replays the size, the config, the keyframe and all later packets to a late joiner', () => {
  const cache = new GopCache();
  expect(cache.needsKeyframe).toBe(true);
  const gop = [session(540, 1170), media('config', 0), media('keyframe', 1), media('delta', 2)];
  fill(cache, gop);
  expect(cache.replay()).toEqual(gop);
  expect(cache.size).toEqual({ width: 540, height: 1170 });
  expect(cache.needsKeyframe).toBe(false);
});

test('starts a new GOP at a keyframe, with the same size and config', () => {
  const cache = new GopCache();
  const [size, config, keyframe] = [session(540, 1170), media('config', 0), media('keyframe', 9)];
  fill(cache, [size, config, media('keyframe', 1), media('delta', 2), keyframe]);
  expect(cache.replay()).toEqual([size, config, keyframe]);
});

test('replays the old frame before the new size while a rotation is pending', () => {
  const cache = new GopCache();
  const before = [session(540, 1170), media('config', 0), media('keyframe', 1)];
  const [size, config, keyframe] = [session(1170, 540), media('config', 2), media('keyframe', 3)];
  fill(cache, [...before, size, config]);
  expect(cache.replay()).toEqual([...before, size, config]);
  expect(cache.size).toEqual({ width: 1170, height: 540 });
  cache.push(keyframe);
  expect(cache.replay()).toEqual([size, config, keyframe]);
});

test.each([
  ['bytes', { maxBytes: 200 }],
  ['packets', { maxPackets: 5 }],
])('drops the GOP until the next keyframe if it exceeds its limit in %s', (_, bound) => {
  const cache = new GopCache(bound);
  const head = [session(540, 1170), media('config', 0)];
  fill(cache, [...head, media('keyframe', 1)]);
  for (let pts = 2; pts < 12; pts += 1) cache.push(media('delta', pts, 20));
  expect(cache.needsKeyframe).toBe(true);
  expect(cache.replay()).toEqual(head);
  const keyframe = media('keyframe', 20);
  cache.push(keyframe);
  expect(cache.replay()).toEqual([...head, keyframe]);
});

test('does not keep an oversized config packet or any frame after it', () => {
  const cache = new GopCache({ maxBytes: 200 });
  const [size, config, keyframe] = [session(540, 1170), media('config', 0), media('keyframe', 1)];
  fill(cache, [size, media('config', 0, 300), keyframe]);
  expect(cache.needsKeyframe).toBe(true);
  expect(cache.replay()).toEqual([size]);
  fill(cache, [config, keyframe]);
  expect(cache.replay()).toEqual([size, config, keyframe]);
});

test('discards the size on clear, because late joiners would receive a stale one', () => {
  const cache = new GopCache();
  fill(cache, [session(540, 1170), media('config', 0), media('keyframe', 1)]);
  cache.clear();
  expect(cache.replay()).toEqual([]);
  cache.push(media('keyframe', 2));
  expect(cache.needsKeyframe).toBe(true);
});

test('replays nothing, or the size, the config and a keyframe within the limits, after arbitrary packets', () => {
  const packet = fc.oneof(
    fc.constantFrom(session(1, 2), session(2, 1)),
    fc.record({ type: fc.constantFrom('config' as const, 'keyframe' as const), size: fc.nat(50) }),
    fc.record({ type: fc.constant('delta' as const), size: fc.nat(50) }),
  );
  fc.assert(
    fc.property(fc.array(packet, { maxLength: 60 }), (packets) => {
      const cache = new GopCache({ maxBytes: 300, maxPackets: 8 });
      for (const each of packets) {
        cache.push(each instanceof Uint8Array ? each : media(each.type, 0, each.size));
        const replay = cache.replay();
        const types = replay.map(packetType);
        expect(replay.length).toBeLessThanOrEqual(8);
        expect(replay.reduce((sum, bytes) => sum + bytes.length, 0)).toBeLessThanOrEqual(300);
        if (cache.needsKeyframe) expect(types).not.toContain('keyframe');
        else expect(types.slice(0, 3)).toEqual(['session', 'config', 'keyframe']);
      }
    }),
  );
});
