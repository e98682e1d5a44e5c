import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { BatchWriter } from './batch-writer.ts';

const MIB = 1024 * 1024;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phonebooth-batch-'));
});
afterAll(() => rm(folder, { recursive: true }));

function open(options: { folder?: string; maxWaitingBytes?: number } = {}) {
  const failures: string[] = [];
  const onFailure = (reason: string) => failures.push(reason);
  const writer = new BatchWriter({ folder, maxWaitingBytes: 1_000_000, onFailure, ...options });
  return { writer, failures };
}

test('writes more buffers than one system call takes, in order', async () => {
  const { writer, failures } = open();
  const bytes = Array.from({ length: 3_000 }, (_, at) => Buffer.from(`${at},`));
  for (const piece of bytes.slice(0, 1_500)) writer.append('file', piece);
  writer.flush();
  for (const piece of bytes.slice(1_500)) writer.append('file', piece);
  writer.create('whole', Buffer.from('picture'));
  await writer.close();
  expect((await readFile(join(folder, 'file'))).equals(Buffer.concat(bytes))).toBe(true);
  expect(await readFile(join(folder, 'whole'), 'utf8')).toBe('picture');
  expect(failures).toEqual([]);
});

test('copies bytes of any length in order, which the caller may overwrite', async () => {
  const { writer, failures } = open({ maxWaitingBytes: 100_000_000 });
  const expected: Buffer[] = [];
  for (let round = 0; round < 40; round += 1) {
    const source = Buffer.alloc(100_000 + round * 7, round + 1);
    writer.copy('copies', source, 5, source.length);
    expected.push(Buffer.from(source.subarray(5)));
    source.fill(0);
    writer.append('copies', Buffer.from('|'));
    expected.push(Buffer.from('|'));
    writer.copy('others', source, 0, 10);
    if (round % 10 !== 9) continue;
    writer.flush();
    await new Promise((resolve) => setImmediate(resolve));
  }
  await writer.close();
  expect((await readFile(join(folder, 'copies'))).equals(Buffer.concat(expected))).toBe(true);
  expect(await readFile(join(folder, 'others'))).toHaveLength(400);
  expect(failures).toEqual([]);
});

test('writes queued data before it is closed', async () => {
  const { writer } = open();
  writer.append('soon', Buffer.from('1'));
  writer.flush();
  await vi.waitFor(async () => expect(await readFile(join(folder, 'soon'), 'utf8')).toBe('1'), {
    timeout: 60_000,
  });
  await writer.close();
});

test('is closed when all data is written, also data that waits for a slow disk', async () => {
  const { writer, failures } = open({ maxWaitingBytes: 8 * MIB });
  // A write to a pipe waits until the other end reads.
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  const bytes = Array.from({ length: 4_000 }, (_, at) => Buffer.alloc(1_024, at));
  writer.append('pipe', Buffer.alloc(MIB));
  writer.flush();
  for (const piece of bytes) writer.append('pipe', piece);
  // The first part is still being written.
  writer.flush();
  const closed = writer.close();
  const read = await readFile(join(folder, 'pipe'));
  await closed;
  expect(read.equals(Buffer.concat([Buffer.alloc(MIB), ...bytes]))).toBe(true);
  expect(failures).toEqual([]);
});

test('closes a file whose data is written, and continues with the others', async () => {
  const { writer, failures } = open();
  const isOpen = async (name: string) => {
    const links = await readdir('/proc/self/fd');
    const paths = await Promise.all(links.map((link) => readlink(`/proc/self/fd/${link}`).catch(() => '')));
    return paths.includes(join(folder, name));
  };
  writer.append('first', Buffer.from('12'));
  writer.append('second', Buffer.from('3'));
  writer.flush();
  await vi.waitFor(async () => expect(await isOpen('second')).toBe(true), { timeout: 60_000 });
  writer.append('first', Buffer.from('4'));
  writer.end('first');
  writer.append('second', Buffer.from('5'));
  await vi.waitFor(
    async () => {
      // It does nothing while the first batch is being written, which may take longer than opening the files
      writer.flush();
      expect(await isOpen('first')).toBe(false);
    },
    { timeout: 60_000 },
  );
  expect(await isOpen('second')).toBe(true);
  writer.append('second', Buffer.from('6'));
  await writer.close();
  expect(await readFile(join(folder, 'first'), 'utf8')).toBe('124');
  expect(await readFile(join(folder, 'second'), 'utf8')).toBe('356');
  expect(failures).toEqual([]);
});

test('a full disk is reported once', async () => {
  const { writer, failures } = open({ folder: '/dev' });
  writer.append('full', Buffer.alloc(10));
  writer.flush();
  await vi.waitFor(() => expect(failures).toEqual(['the disk of the host is full']), { timeout: 60_000 });
  writer.append('full', Buffer.alloc(10));
  await writer.close();
  expect(failures).toHaveLength(1);
});

test('a disk that is too slow stops the writer, and its queue stays bounded', async () => {
  const { writer, failures } = open({ maxWaitingBytes: 100 });
  for (let i = 0; i < 20; i += 1) writer.append('slow', Buffer.alloc(10));
  expect(writer.bytes).toBe(100);
  expect(failures).toEqual(['the disk of the host is slower than the video']);
  await writer.close();
});
