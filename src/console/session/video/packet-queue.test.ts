import { beforeEach, describe, expect, test } from 'vitest';
import type { MediaPacket } from '../../../contract/sockets/stream-packets.ts';
import { PacketQueue } from './packet-queue.ts';

const packet = (type: MediaPacket['type'], pts: number, bytes = 1): MediaPacket => ({
  type,
  pts,
  data: new Uint8Array(bytes),
});
let queue: PacketQueue;
const rest = () => {
  const found: string[] = [];
  for (let next = queue.shift(); next; next = queue.shift()) found.push(`${next.type} ${next.pts}`);
  return found;
};

beforeEach(() => {
  queue = new PacketQueue();
});

describe('PacketQueue', () => {
  test('preserves the order', () => {
    for (const next of [packet('config', 0), packet('keyframe', 1), packet('delta', 2)]) queue.push(next);
    expect(rest()).toEqual(['config 0', 'keyframe 1', 'delta 2']);
  });

  test('drops older frames when a keyframe arrives, but keeps its config packet', () => {
    queue.push(packet('delta', 1));
    queue.push(packet('config', 2));
    queue.push(packet('keyframe', 3));
    queue.push(packet('delta', 4));
    expect(rest()).toEqual(['config 2', 'keyframe 3', 'delta 4']);
  });

  test('keeps only the newer of two queued config packets', () => {
    queue.push(packet('config', 1));
    queue.push(packet('keyframe', 2));
    queue.push(packet('config', 3));
    queue.push(packet('keyframe', 4));
    expect(rest()).toEqual(['config 3', 'keyframe 4']);
  });

  test('is full at 600 packets until a keyframe clears it', () => {
    for (let pts = 0; pts < 600; pts += 1) expect(queue.push(packet('delta', pts))).toBe(true);
    expect(queue.push(packet('delta', 600))).toBe(false);
    expect(queue.push(packet('keyframe', 601))).toBe(true);
    expect(queue.length).toBe(1);
  });

  test('is full at 32 MiB and accepts packets again as they leave', () => {
    const half = 16 * 1024 * 1024;
    expect(queue.push(packet('delta', 1, half))).toBe(true);
    expect(queue.push(packet('delta', 2, half))).toBe(true);
    expect(queue.push(packet('delta', 3))).toBe(false);
    queue.shift();
    expect(queue.push(packet('delta', 3))).toBe(true);
  });
});
