import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Phone, PhoneFiles } from '../../src/drivers/driver.ts';
import type { PhoneHandle } from '../fixtures/phone-double/phones.ts';
import { AndroidRig, Borrowed } from './android-rig.ts';

const soon = () => ({ signal: AbortSignal.timeout(60_000) });

let rig: AndroidRig;
beforeAll(async () => {
  rig = await AndroidRig.start();
});
afterAll(() => rig[Symbol.asyncDispose]());

async function* chunksOf(content: Uint8Array, size = 100_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += size) yield content.subarray(at, at + size);
}

const write = (
  files: PhoneFiles,
  path: string[],
  content: Uint8Array | AsyncIterable<Uint8Array>,
  options = {},
) =>
  files.write(path, content instanceof Uint8Array ? chunksOf(content) : content, {
    ...{ overwrite: false, size: null, ready: () => {} },
    ...soon(),
    ...options,
  });

async function read(files: PhoneFiles, path: string[]): Promise<Buffer> {
  const { bytes } = await files.read(path, soon());
  return Buffer.concat(await Array.fromAsync(bytes));
}

const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const filesOf = ({ session }: Borrowed): PhoneFiles => session.files!;

// Android 10 has no listing with sizes of 64 bits.
describe.each([
  ['Fourteen', {}],
  ['Ten', { release: '10', sdk: 29 }],
])('the files of an Android phone, %s', (model, version) => {
  let double: PhoneHandle;
  let phone: Phone;
  let before: string[];
  const storage = async () => {
    const { files, folders } = await double.report();
    return [...files, ...folders].filter((path) => path.startsWith('/sdcard')).sort();
  };
  beforeAll(async () => {
    double = await rig.plugIn({ serial: model.toUpperCase(), model, ...version });
    phone = await rig.usable(model);
    before = await storage();
  });

  test('are pushed, listed, pulled and deleted, and cleaning removes what is left', async () => {
    const content = randomBytes(3_000_001);
    {
      await using borrowed = await Borrowed.open(phone);
      const files = filesOf(borrowed);
      const facts = await write(files, ['Pictures', 'New album', "it's 1.jpg"], content);
      expect(facts.size).toBe(content.length);
      await write(files, ['Download', 'note.txt'], Buffer.from('old'));
      await write(files, ['Download', 'note.txt'], Buffer.from('new'), { overwrite: true });
      await write(files, ['Download', 'empty.txt'], Buffer.alloc(0));
      const { items, hasMore } = await files.list(['Pictures', 'New album'], soon());
      expect(hasMore).toBe(false);
      expect(items).toEqual([
        { name: "it's 1.jpg", kind: 'file', size: content.length, modifiedAt: expect.any(Number) },
      ]);
      expect((await files.list([], soon())).items).toContainEqual(
        expect.objectContaining({ name: 'Download', kind: 'folder', size: 0 }),
      );
      expect(hash(await read(files, ['Pictures', 'New album', "it's 1.jpg"]))).toBe(hash(content));
      expect((await read(files, ['Download', 'note.txt'])).toString()).toBe('new');
      expect(await read(files, ['Download', 'empty.txt'])).toHaveLength(0);
      expect((await double.report()).scanned).toEqual([
        "file:///storage/emulated/0/Pictures/New%20album/it's%201.jpg",
      ]);
      await files.remove(['Download', 'empty.txt'], soon());
      await expect(read(files, ['Download', 'empty.txt'])).rejects.toMatchObject({ reason: 'not_found' });
    }
    await phone.clean(soon());
    expect(await storage()).toEqual(before);
    expect((await double.report()).scanned).toHaveLength(2);
  });

  test('another host process removes a file that was half written when the first was killed', async () => {
    {
      await using borrowed = await Borrowed.open(phone);
      const stopped = new AbortController();
      const killed = write(
        filesOf(borrowed),
        ['Documents', 'half.bin'],
        (async function* () {
          yield randomBytes(200_000);
          // The process is killed here, so it removes nothing itself.
          await double.faults({ hangShell: true });
          stopped.abort(new Error('killed'));
          yield randomBytes(200_000);
        })(),
        { signal: stopped.signal },
      );
      await expect(killed).rejects.toThrow('killed');
    }
    await double.faults({ hangShell: false });
    await rig.driver[Symbol.asyncDispose]();
    await rig.startDriver();
    phone = await rig.usable(model);
    await phone.clean(soon());
    expect(await storage()).toEqual(before);
  });

  test('are refused with a reason, and nothing changes', async () => {
    await using borrowed = await Borrowed.open(phone);
    const files = filesOf(borrowed);
    const content = Buffer.from('content');
    await write(files, ['Download', 'one.txt'], content);
    const refusals: [() => Promise<unknown>, string][] = [
      [() => write(files, ['Download', 'one.txt'], content), 'exists'],
      [() => write(files, ['Download'], content), 'not_a_file'],
      [() => write(files, ['Download', 'one.txt', 'two.txt'], content), 'not_a_folder'],
      [() => write(files, ['Download', 'big.bin'], content, { size: 1e12 }), 'no_space'],
      [() => files.list(['Download', 'one.txt'], soon()), 'not_a_folder'],
      [() => files.list(['Nowhere'], soon()), 'not_found'],
      [() => files.read(['Download'], soon()), 'not_a_file'],
      [() => files.remove(['Download'], soon()), 'not_empty'],
      [() => files.remove([], soon()), 'not_empty'],
    ];
    for (const [refused, reason] of refusals) await expect(refused()).rejects.toMatchObject({ reason });
    await double.faults({ fullAfter: 1_000 });
    await expect(write(files, ['Download', 'big.bin'], randomBytes(500_000))).rejects.toMatchObject({
      reason: 'no_space',
    });
    await double.faults({ fullAfter: null, link: { from: '/sdcard/Download', to: '/data/local/tmp' } });
    for (const outside of [
      () => files.list(['Download'], soon()),
      () => files.read(['Download', 'one.txt'], soon()),
      () => write(files, ['Download', 'three.txt'], content),
      () => files.remove(['Download', 'one.txt'], soon()),
    ])
      await expect(outside()).rejects.toMatchObject({ reason: 'outside' });
    await double.faults({ link: null });
    const left = (await storage()).filter((path) => !before.includes(path));
    expect(left).toEqual(['/sdcard/Download/one.txt']);
  });
});
