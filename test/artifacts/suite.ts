import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type ArtifactFiles,
  ArtifactMissingError,
} from '../../src/control-plane/artifacts/artifact-files.ts';

/** A storage, and what is in it besides complete content, such as incomplete uploads. */
export interface OpenArtifactFiles extends AsyncDisposable {
  files: ArtifactFiles;
  leftovers(): Promise<string[]>;
}

const MEBIBYTE = 1024 * 1024;
const BIG = 70 * MEBIBYTE + 123;
/** More than fits in one request to a bucket. */
const TWO_PARTS = 10 * MEBIBYTE;
/** Several parts in memory at the same time would be more. */
const MOST_MEMORY = 40 * MEBIBYTE;
const TYPE = 'video/mp4';

const newId = () => `art_${randomBytes(9).toString('base64url')}`;

/** What every storage for artifacts does. */
export function artifactFilesSuite(name: string, open: () => Promise<OpenArtifactFiles>): void {
  describe(`artifacts in ${name}`, () => {
    let storage: OpenArtifactFiles;
    beforeAll(async () => {
      storage = await open();
    });
    afterAll(() => storage[Symbol.asyncDispose]());

    const write = (id: string, chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>, size: number) =>
      storage.files.write(id, toAsync(chunks), { size, type: TYPE });
    const read = async (id: string, start: number, end: number) =>
      Buffer.concat(await Array.fromAsync(await storage.files.read(id, { start, end }))).toString();
    const expectNothing = async (id: string) => {
      await expect(storage.files.read(id, { start: 0, end: 0 })).rejects.toBeInstanceOf(ArtifactMissingError);
      expect(await storage.leftovers()).toEqual([]);
    };

    test('content is read in ranges, replaced and removed', async () => {
      const id = newId();
      await write(id, [Buffer.from('0123'), Buffer.from('456789')], 10);
      expect(await read(id, 0, 9)).toBe('0123456789');
      expect(await read(id, 3, 5)).toBe('345');
      expect(await read(id, 9, 9)).toBe('9');
      await write(id, [Buffer.from('other')], 5);
      expect(await read(id, 0, 4)).toBe('other');
      await storage.files.remove(id);
      await storage.files.remove(id);
      await expectNothing(id);
    });

    test('content can be empty', async () => {
      const id = newId();
      await write(id, [], 0);
      await storage.files.remove(id);
    });

    test('content of another size, or with an error, leaves nothing', async () => {
      for (const size of [100, TWO_PARTS]) {
        const id = newId();
        await expect(write(id, [...chunksOf(size), Buffer.from('1')], size)).rejects.toThrow('content');
        await expectNothing(id);
        await expect(write(id, chunksOf(size - 1), size)).rejects.toThrow('content');
        await expectNothing(id);
        await expect(write(id, failing(chunksOf(size - 1)), size)).rejects.toThrow('the link was closed');
        await expectNothing(id);
      }
    });

    test('large content needs little memory', async () => {
      const id = newId();
      const before = process.memoryUsage();
      let most = 0;
      const watched = async function* () {
        for (const chunk of chunksOf(BIG)) {
          yield chunk;
          most = Math.max(most, process.memoryUsage().arrayBuffers - before.arrayBuffers);
        }
      };
      await write(id, watched(), BIG);
      expect(most).toBeLessThan(MOST_MEMORY);
      let at = 0;
      for await (const chunk of await storage.files.read(id, { start: 0, end: BIG - 1 })) {
        expect(sameBytes(chunk, at)).toBe(true);
        at += chunk.length;
      }
      expect(at).toBe(BIG);
      const middle = await storage.files.read(id, { start: 40_000_000, end: 50_000_000 });
      // A reader that stops early releases the connection or file, which test/leaks.ts checks.
      for await (const chunk of middle) {
        expect(sameBytes(chunk, 40_000_000)).toBe(true);
        break;
      }
      await storage.files.remove(id);
    });

    test('uploads in progress stay when abandoned ones are removed', async () => {
      const id = newId();
      const during = async function* () {
        let sent = 0;
        for (const chunk of chunksOf(TWO_PARTS)) {
          sent += chunk.length;
          if (sent === TWO_PARTS) {
            expect(await storage.leftovers()).toHaveLength(1);
            await storage.files.removeAbandoned();
          }
          yield chunk;
        }
      };
      await write(id, during(), TWO_PARTS);
      expect(await read(id, TWO_PARTS - 1, TWO_PARTS - 1)).toHaveLength(1);
      await storage.files.remove(id);
    });
  });
}

async function* toAsync<T>(items: Iterable<T> | AsyncIterable<T>): AsyncGenerator<T> {
  yield* items;
}

async function* failing(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks;
  throw new Error('the link was closed');
}

/** A pattern whose length is not a divisor of the size of a part. */
const PATTERN = Buffer.from(Uint8Array.from({ length: 251 }, (_, at) => at));
const CHUNK = PATTERN.length * 4_000;
const PATTERNS = Buffer.alloc(2 * CHUNK, PATTERN);

function* chunksOf(size: number): Generator<Uint8Array> {
  for (let at = 0; at < size; at += CHUNK) yield PATTERNS.subarray(0, Math.min(CHUNK, size - at));
}

const sameBytes = (chunk: Buffer, at: number): boolean =>
  PATTERNS.subarray(at % PATTERN.length, (at % PATTERN.length) + chunk.length).equals(chunk);
