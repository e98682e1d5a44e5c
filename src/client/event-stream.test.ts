import { describe, expect, test } from 'vitest';
import { EventReader, eventsOf } from './event-stream.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

describe('EventReader', () => {
  test('reads events from chunks of any size', () => {
    const stream = bytes(
      'retry: 2000\n\nid: 1\n\n: comment\nevent: a\ndata: {"x":"é"}\n\ndata:1\ndata: 2\r\n\r\nid: 2\nevent: b\ndata\n\n',
    );
    const expected = [
      { event: 'a', data: '{"x":"é"}', lastEventId: '1' },
      { event: '', data: '1\n2', lastEventId: '1' },
      { event: 'b', data: '', lastEventId: '2' },
    ];
    for (const size of [1, 2, 7, stream.length]) {
      const reader = new EventReader();
      const events = [];
      for (let at = 0; at < stream.length; at += size)
        events.push(...reader.read(stream.subarray(at, at + size)));
      expect(events).toEqual(expected);
    }
  });

  test('records an id without emitting an event', () => {
    const reader = new EventReader('from before');
    expect([...reader.read(bytes('event: a\n\n: still here\n\n'))]).toEqual([]);
    expect(reader.lastEventId).toBe('from before');
    expect([...reader.read(bytes('id: 7\n\n'))]).toEqual([]);
    expect(reader.lastEventId).toBe('7');
  });

  test('ignores an event that is cut off', () => {
    expect([...new EventReader().read(bytes('event: a\ndata: 1\n'))]).toEqual([]);
  });

  test('rejects an event that exceeds the size limit', () => {
    const reader = new EventReader();
    const piece = bytes(`data: ${'x'.repeat(1_000_000)}\n`);
    expect(() => {
      for (let n = 0; n < 10; n += 1) for (const _ of reader.read(piece));
    }).toThrow(RangeError);
  });
});

test('eventsOf ends a silent stream', async () => {
  const silent = new Response(new ReadableStream({ start: (to) => to.enqueue(bytes('data: 1\n\n')) }));
  const events = eventsOf(silent, new EventReader(), 30);
  expect((await events.next()).value).toMatchObject({ data: '1' });
  await expect(events.next()).rejects.toThrow('no data arrived for 0.03 s');
});
