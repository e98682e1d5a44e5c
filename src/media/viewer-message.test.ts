import type { Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import * as ws from 'ws';
import { allocatePacket, messageOf } from './viewer-message.ts';

/** Reads a message with `ws`. */
function read(message: Buffer): Promise<{ data: Buffer; isBinary: boolean }> {
  // The types of `ws` lack this class, which it exports.
  const { Receiver } = ws as unknown as { Receiver: new () => Writable };
  const receiver = new Receiver();
  return new Promise((resolve, reject) => {
    receiver.on('message', (data: Buffer, isBinary: boolean) => resolve({ data, isBinary }));
    receiver.on('error', reject);
    receiver.write(message);
  });
}

describe.each([0, 1, 125, 126, 65_535, 65_536, 200_000])('a packet of %i bytes', (length) => {
  const bytes = new Uint8Array(length).map((_, at) => at % 251);

  test('is read by ws as a binary message', async () => {
    const { data, isBinary } = await read(messageOf(bytes));
    expect(isBinary).toBe(true);
    expect(data.equals(bytes)).toBe(true);
  });

  test('is read by ws from the memory that was allocated for it', async () => {
    const packet = allocatePacket(length);
    packet.set(bytes);
    const message = messageOf(packet);
    expect(message.buffer).toBe(packet.buffer);
    expect((await read(message)).data.equals(bytes)).toBe(true);
  });
});

test('viewers of the same packet share a message', () => {
  const packet = Uint8Array.of(1, 2, 3);
  expect(messageOf(packet)).toBe(messageOf(packet));
});
