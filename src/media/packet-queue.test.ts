import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodePacket, encodePacket, packetType } from '../contract/sockets/stream-packets.ts';
import { PacketQueue, type PacketQueueOptions, type PacketSink } from './packet-queue.ts';

/** A transport that drains only on request. */
class SlowSink implements PacketSink {
  bufferedBytes = 0;
  readonly sent: Uint8Array[] = [];
  send(packet: Uint8Array): void {
    this.sent.push(packet);
    this.bufferedBytes += packet.length;
  }
}

const session = (width: number) => encodePacket({ type: 'session', width, height: 9 });
const media = (type: 'config' | 'keyframe' | 'delta', pts: number, bytes = 88) =>
  encodePacket({ type, pts, data: new Uint8Array(bytes) });
/** Short form of a packet: S<width>, C<pts>, K<pts> or D<pts>. */
const short = (bytes: Uint8Array) => {
  const packet = decodePacket(bytes);
  return packet.type === 'session' ? `S${packet.width}` : packet.type[0]!.toUpperCase() + packet.pts;
};

function make(options: PacketQueueOptions = {}) {
  const sink = new SlowSink();
  const asked = { times: 0 };
  const queue = new PacketQueue(
    sink,
    () => {
      asked.times += 1;
    },
    { sinkBytes: 100, maxBytes: 350, ...options },
  );
  const push = (...packets: Uint8Array[]) => {
    for (const packet of packets) queue.push(packet);
  };
  const drain = () => {
    sink.bufferedBytes = 0;
    queue.flush();
  };
  const drainAll = () => {
    for (let sent = -1; sent < sink.sent.length; ) {
      sent = sink.sent.length;
      drain();
    }
  };
  return { sink, queue, asked, push, drain, drainAll, out: () => sink.sent.map(short) };
}

test('sends each packet immediately if there is room, with size and config directly before a keyframe', () => {
  const { push, out } = make({ sinkBytes: 1e6 });
  push(session(5), media('config', 1));
  expect(out()).toEqual([]);
  push(media('keyframe', 2), media('delta', 3));
  expect(out()).toEqual(['S5', 'C1', 'K2', 'D3']);
  push(media('keyframe', 4), media('config', 5), media('delta', 6), media('keyframe', 7));
  expect(out().slice(4)).toEqual(['K4', 'D6', 'C5', 'K7']);
});

test('queues packets in order without room', () => {
  const { push, out, drainAll, queue } = make();
  push(session(5), media('config', 1), media('keyframe', 2), media('delta', 3), media('delta', 4));
  expect(out()).toEqual(['S5', 'C1', 'K2']);
  expect(queue.waitingBytes).toBe(200);
  drainAll();
  expect(out()).toEqual(['S5', 'C1', 'K2', 'D3', 'D4']);
  expect(queue.overSince).toBeNull();
});

test('drops everything before the newest keyframe over the limit, without requesting a keyframe', () => {
  const { push, out, drainAll, queue, asked } = make();
  push(session(5), media('config', 1), media('keyframe', 2), media('delta', 3));
  push(session(6), media('config', 4), media('keyframe', 5), media('delta', 6), media('delta', 7));
  expect(queue.droppedGroups).toBe(1);
  drainAll();
  expect(out()).toEqual(['S5', 'C1', 'K2', 'S6', 'C4', 'K5', 'D6', 'D7']);
  expect(asked.times).toBe(0);
});

test('drops everything if the newest GOP alone exceeds the limit, and requests a keyframe once there is room', () => {
  const { push, out, drain, queue, asked } = make();
  push(session(5), media('config', 1), media('keyframe', 2));
  for (let pts = 3; pts < 20; pts += 1) push(media('delta', pts));
  expect(queue.waitingBytes).toBe(0);
  expect(asked.times).toBe(0);
  drain();
  expect(asked.times).toBe(1);
  push(media('delta', 20));
  expect(asked.times).toBe(2);
  push(media('config', 21), media('keyframe', 22));
  expect(out()).toEqual(['S5', 'C1', 'K2', 'S5', 'C21', 'K22']);
});

test('sends a keyframe larger than the limit', () => {
  const { push, out, drainAll } = make();
  push(session(5), media('config', 1), media('keyframe', 2), media('keyframe', 3, 5000));
  drainAll();
  expect(out()).toEqual(['S5', 'C1', 'K2', 'K3']);
});

test('overSince reports the start of congestion and is reset only after a period without drops', () => {
  let now = 1000;
  const { push, drainAll, queue } = make({ now: () => now, recoveryMs: 2000 });
  const flood = () => {
    for (let pts = 3; pts < 20; pts += 1) push(media('delta', pts));
  };
  push(session(5), media('config', 1), media('keyframe', 2));
  flood();
  expect(queue.overSince).toBe(1000);
  now = 60_000;
  expect(queue.overSince).toBe(1000);
  push(media('keyframe', 20));
  drainAll();
  now += 1999;
  expect(queue.overSince).toBe(1000);
  flood();
  now += 1999;
  expect(queue.overSince).toBe(1000);
  push(media('keyframe', 20));
  drainAll();
  now += 2000;
  expect(queue.overSince).toBeNull();
  flood();
  expect(queue.overSince).toBe(now);
});

test('drops deltas until a keyframe after a restart of the source', () => {
  const { push, out, queue } = make({ sinkBytes: 1e6 });
  push(session(5), media('config', 1), media('keyframe', 2));
  queue.restart();
  push(media('delta', 3), session(6), media('config', 4), media('delta', 5), media('keyframe', 6));
  expect(out()).toEqual(['S5', 'C1', 'K2', 'S6', 'C4', 'K6']);
});

const step = fc.oneof(
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('session' as const, 'config' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('keyframe' as const), size: fc.nat(200) }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('delta' as const), size: fc.nat(200) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('take' as const), bytes: fc.nat(600), told: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
);
const begun = [{ do: 'session' as const }, { do: 'config' as const }, { do: 'keyframe' as const, size: 50 }];
const source = fc.tuple(fc.constantFrom(begun, []), fc.array(step, { minLength: 20, maxLength: 120 }));

/**
 * What a decoder must have received before a packet: the previous packet for a delta, size and config for a keyframe.
 */
type Needs = { before: Uint8Array } | { session: Uint8Array; config: Uint8Array } | 'useless';

test('delivers each GOP from its keyframe, in order and without gaps, at any speed', () => {
  let drops = 0;
  fc.assert(
    fc.property(source, ([start, rest]) => {
      const steps = [...start, ...rest];
      const { sink, queue } = make();
      let largest = 0;
      const needs = new Map<Uint8Array, Needs>();
      let [size, config]: (Uint8Array | undefined)[] = [];
      let before: Uint8Array | undefined;
      for (const [index, each] of steps.entries()) {
        if (each.do === 'take') {
          sink.bufferedBytes = Math.max(0, sink.bufferedBytes - each.bytes);
          if (each.told) queue.flush();
        } else if (each.do === 'restart') {
          queue.restart();
          before = undefined;
          [size, config] = [session(index + 1), media('config', index, 5)];
          queue.push(size);
          queue.push(config);
        } else {
          const packet =
            each.do === 'session'
              ? session(index + 1)
              : media(each.do, index, 'size' in each ? each.size : 5);
          if (each.do === 'session') size = packet;
          else if (each.do === 'config') config = packet;
          else if (each.do === 'keyframe') {
            needs.set(packet, size && config ? { session: size, config } : 'useless');
            before = size && config ? packet : before;
          } else {
            needs.set(packet, before ? { before } : 'useless');
            before = before && packet;
          }
          queue.push(packet);
        }
        largest = Math.max(largest, queue.waitingBytes);
      }
      expect(brokenPackets(sink.sent, needs)).toEqual([]);
      expect(largest).toBeLessThanOrEqual(350);
      drops += queue.droppedGroups;
    }),
    { numRuns: 300 },
  );
  expect(drops).toBeGreaterThan(300);
});

function brokenPackets(sent: Uint8Array[], needs: Map<Uint8Array, Needs>): string[] {
  let [size, config, last]: (Uint8Array | undefined)[] = [];
  return sent
    .filter((packet) => {
      const type = packetType(packet);
      if (type === 'session') size = packet;
      if (type === 'config') config = packet;
      if (type === 'session' || type === 'config') return false;
      const need = needs.get(packet)!;
      const before = last;
      last = packet;
      if (need === 'useless') return true;
      return 'before' in need ? need.before !== before : need.session !== size || need.config !== config;
    })
    .map(short);
}

test('delivers everything from the first keyframe to a receiver that keeps up', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('keyframe' as const, 'delta' as const)), (types) => {
      const { push, out, drain, queue } = make();
      push(session(5), media('config', 0));
      for (const [index, type] of types.entries()) {
        push(media(type, index));
        drain();
      }
      const first = types.indexOf('keyframe');
      const expected =
        first < 0 ? [] : types.map((type, n) => (type === 'delta' ? `D${n}` : `K${n}`)).slice(first);
      expect(out().filter((packet) => /[KD]/.test(packet))).toEqual(expected);
      expect(queue.droppedGroups).toBe(0);
    }),
  );
});
