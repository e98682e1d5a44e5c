import { expect, test, vi } from 'vitest';
import { PhoneStorage } from './phone-storage.ts';

test('merges the small parts in which a client sends a file', () => {
  const storage = new PhoneStorage(Date.now, () => {});
  const content = Buffer.from(Array.from({ length: 200_000 }, (_, at) => (at * 7) % 251));
  const write = storage.beginWrite(['file'], { overwrite: false, size: null });
  for (const byte of content) storage.append(write, Uint8Array.of(byte));
  storage.commit(write);
  const concat = vi.spyOn(Buffer, 'concat');
  const read = storage.read(['file']);
  expect(concat.mock.lastCall![0].length).toBeLessThan(20);
  concat.mockRestore();
  expect(read.equals(content)).toBe(true);
});
