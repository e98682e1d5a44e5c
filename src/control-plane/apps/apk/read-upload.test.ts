import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  compiledXml,
  resourcesArsc,
  stringPool,
  type XmlElement,
} from '../../../../test/fixtures/android-binary.ts';
import {
  type ApkOptions,
  ICON_ID,
  LABEL_ID,
  LAYER_ID,
  makeApk,
  makeManifest,
  makePng,
  makeZip,
} from '../../../../test/fixtures/apk.ts';
import { drawablesIn } from './drawable.ts';
import { type ReadOptions, readUpload } from './read-upload.ts';
import { ResourceTable } from './resource-table.ts';

const MIB = 1024 * 1024;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'phonebooth-apk-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function read(bytes: Buffer, maxBytes = MIB, options: Pick<ReadOptions, 'maxEntries'> = {}) {
  await writeFile(join(folder, 'upload'), bytes);
  return readUpload(join(folder, 'upload'), folder, { maxBytes, ...options });
}
const readApk = (options: ApkOptions) => read(makeApk(options));
const files = async () => (await readdir(folder)).sort();

describe('an APK', () => {
  test('is read with its package, version, label and minimum API level', async () => {
    const apk = makeApk({ packageName: 'org.acme.Tool', version: '2.1-beta', versionCode: 7, minSdk: 26 });
    expect(await read(apk)).toEqual({
      packageName: 'org.acme.Tool',
      version: '2.1-beta',
      versionCode: 7,
      minSdk: 26,
      split: null,
      label: 'Example',
      icon: null,
    });
    expect(await files()).toEqual(['0.apk']);
    expect(await readFile(join(folder, '0.apk'))).toEqual(apk);
  });

  test('has a 64-bit version code composed of two halves', async () => {
    expect(await readApk({ versionCodeMajor: 1, versionCode: 5 })).toMatchObject({
      versionCode: 2 ** 32 + 5,
    });
  });

  test('has its version sanitized to a single line of valid characters', async () => {
    expect(await readApk({ version: '1.0\u0000\n-beta\ud83d' })).toMatchObject({
      version: '1.0 -beta\ufffd',
    });
  });

  test('uses its package name as the label when it has none', async () => {
    expect(await readApk({ label: null })).toMatchObject({ label: 'com.example.app' });
  });

  test.each([
    ['the default without a language', { de: 'Beispiel', '': 'Sample', en: 'In English' }, 'Sample'],
    ['English as the fallback', { de: 'Beispiel', en: 'In English' }, 'In English'],
    ['the only available language as the fallback', { de: 'Beispiel' }, 'Beispiel'],
    ['any script', { '': '例 📱' }, '例 📱'],
    ['a long label', { '': 'x'.repeat(150) }, 'x'.repeat(150)],
    ['a label truncated to 200 characters', { '': 'x'.repeat(5000) }, 'x'.repeat(200)],
    ['a single line', { '': 'one\n\ttwo ' }, 'one two'],
    ['without bidirectional and control characters', { '': 'tool\u202egpj.apk\u0085' }, 'tool gpj.apk'],
    ['truncated between code points', { '': `${'x'.repeat(199)}📱` }, 'x'.repeat(199)],
  ])('takes its label from its resources: %s', async (_, labels, label) => {
    expect(await readApk({ labels })).toMatchObject({ label });
  });

  test('uses the largest bitmap as its icon and ignores XML drawables', async () => {
    const [small, large] = [makePng(48, '#ff0000'), makePng(96, '#00ff00')];
    const { icon } = await readApk({
      icons: [
        { density: 160, file: 'res/small.png', bytes: small },
        { density: 0xfffe, file: 'res/adaptive.xml', bytes: Buffer.from('drawn') },
        { density: 480, file: 'res/large.png', bytes: large },
      ],
    });
    expect(icon).toEqual({ type: 'image/png', bytes: large });
  });

  describe('with an adaptive icon', () => {
    const [image, other] = [makePng(108, '#00ff00'), makePng(432, '#ff0000')];
    const drawn = (root: XmlElement, density = 0xfffe) => ({
      density,
      file: `res/${root.name}.xml`,
      bytes: compiledXml(root),
    });
    const layer = { attributes: { drawable: { reference: LAYER_ID } } };
    const adaptive = (foreground: XmlElement, background: XmlElement = { name: 'background' }) =>
      drawn({ name: 'adaptive-icon', children: [background, foreground] });
    const bitmap = { density: 480, file: 'res/foreground.png', bytes: image };

    test.each([
      ['referenced by the foreground', adaptive({ name: 'foreground', ...layer })],
      ['nested in the foreground', adaptive({ name: 'foreground', children: [{ name: 'inset', ...layer }] })],
      ['behind a bitmap element', drawn({ name: 'bitmap', attributes: { src: { reference: LAYER_ID } } })],
    ])('uses the largest bitmap of the foreground as its icon: %s', async (_, icon) => {
      const small = { density: 160, file: 'res/small.png', bytes: other };
      const apk = await readApk({ icons: [icon], layers: [small, bitmap] });
      expect(apk).toMatchObject({ icon: { type: 'image/png', bytes: image } });
    });

    test('prefers the legacy bitmap if it has one', async () => {
      const icons = [
        adaptive({ name: 'foreground', ...layer }),
        { density: 640, file: 'res/legacy.png', bytes: other },
      ];
      const { icon } = await readApk({ icons, layers: [bitmap] });
      expect(icon?.bytes).toEqual(other);
    });

    test('has no icon if the foreground is a vector, even with a bitmap background', async () => {
      const icons = [adaptive({ name: 'foreground' }, { name: 'background', ...layer })];
      expect(await readApk({ icons, layers: [bitmap] })).toMatchObject({ icon: null });
      const vector = drawn({ name: 'vector', children: [{ name: 'path' }] });
      const drawnForeground = [adaptive({ name: 'foreground', ...layer })];
      expect(await readApk({ icons: drawnForeground, layers: [vector] })).toMatchObject({ icon: null });
    });

    test('has no icon if the attributes of an element overlap', async () => {
      const circle = drawn({ name: 'inset', ...layer });
      const attributes = elementIn(circle.bytes) + 16;
      for (const [at, value] of [
        [attributes + 10, 0],
        [attributes + 12, 0xffff],
      ] as const) {
        const bytes = Buffer.from(circle.bytes);
        bytes.writeUInt16LE(value, at);
        expect(() => drawablesIn(bytes)).toThrow(/element is malformed/);
        expect(await readApk({ icons: [{ ...circle, bytes }], layers: [bitmap] })).toMatchObject({
          icon: null,
        });
      }
    });

    test('has no icon if its drawables form a cycle or are malformed', async () => {
      const icons = [adaptive({ name: 'foreground', ...layer })];
      const circle = drawn({ name: 'inset', ...layer });
      expect(await readApk({ icons, layers: [circle] })).toMatchObject({ icon: null });
      for (const bytes of [Buffer.alloc(0), Buffer.from([3, 0, 8, 0]), circle.bytes.subarray(0, 300)]) {
        expect(await readApk({ icons, layers: [{ ...circle, bytes }] })).toMatchObject({ icon: null });
      }
    });
  });

  test.each([
    ['is not an image', Buffer.from('GIF89a')],
    ['exceeds the size limit once decoded', makePng(1025, '#000000')],
    ['is truncated', makePng(16, '#000000').subarray(0, 14)],
  ])('has no icon if the file %s', async (_, bytes) => {
    expect(await readApk({ icons: [{ density: 0, file: 'res/icon.png', bytes }] })).toMatchObject({
      icon: null,
    });
  });

  test('is read within bounds even if every reference points to one string as large as the table', async () => {
    const icons = Array.from({ length: 300 }, () => ({ density: 480, file: 'r'.repeat(7_000) }));
    const table = resourcesArsc({ labels: { '': 'x'.repeat(9_000) }, icons, layers: [] });
    expect(() => new ResourceTable(table).text(LABEL_ID)).toThrow(/too long/);
    const files = new ResourceTable(table).files(ICON_ID);
    expect(files.next().value).toBe('r'.repeat(7_000));
    const manifest = makeManifest({ labels: {}, icons: [{ density: 0, file: 'a', bytes: Buffer.alloc(0) }] });
    const apk = makeZip({ 'AndroidManifest.xml': manifest, 'resources.arsc': table });
    expect(await read(apk)).toMatchObject({ label: 'com.example.app', icon: null });
  });

  test('uses its package name as the label and has no icon if the resource table is malformed', async () => {
    const manifest = makeManifest({ labels: {}, icons: [{ density: 0, file: 'a', bytes: Buffer.alloc(0) }] });
    for (const table of [Buffer.from([2, 0, 12, 0, 1, 2]), Buffer.alloc(40), stringPool(['a'])]) {
      const apk = makeZip({ 'AndroidManifest.xml': manifest, 'resources.arsc': table });
      expect(await read(apk)).toMatchObject({ label: 'com.example.app', icon: null });
    }
  });
});

/** Offset of the first element in compiled XML. */
const elementIn = (xml: Buffer) => xml.indexOf(Buffer.of(0x02, 0x01, 0x10, 0x00));

describe('rejects a file that is not an app, with the reason:', () => {
  const broken = (change: (manifest: Buffer) => void) => {
    const manifest = makeManifest({});
    change(manifest);
    return makeZip({ 'AndroidManifest.xml': manifest });
  };
  test.each([
    ['text', Buffer.from('not a zip'), /not a valid zip archive/],
    ['an empty file', Buffer.alloc(0), /not a valid zip archive/],
    ['a truncated APK', makeApk().subarray(0, 300), /not a valid zip archive/],
    [
      'another zip archive',
      makeZip({ 'readme.txt': Buffer.from('hello') }),
      /neither AndroidManifest.xml nor an .apk/,
    ],
    ['a split without its base', makeApk({ split: 'config.de' }), /split \(config.de\) without its base/],
    [
      'a manifest as plain text',
      makeZip({ 'AndroidManifest.xml': Buffer.from('<manifest/>') }),
      /xml is not compiled/,
    ],
    ['an empty manifest', makeZip({ 'AndroidManifest.xml': Buffer.alloc(0) }), /cannot be read/],
    ['a manifest without a package', makeApk({ packageName: '../../etc' }), /does not name a package/],
    ['a chunk of size zero', broken((bytes) => bytes.writeUInt32LE(0, 12)), /malformed/],
    ['chunks with wrong header sizes', broken((bytes) => bytes.writeUInt16LE(0x100, 2)), /malformed/],
    [
      'an element with more attributes than bytes',
      broken((bytes) => bytes.writeUInt16LE(0xffff, elementIn(bytes) + 28)),
      /malformed/,
    ],
    ['a chunk beyond the end', broken((bytes) => bytes.writeUInt32LE(0xffff, 12)), /malformed/],
    [
      'a manifest that is too large once decompressed',
      makeZip({ 'AndroidManifest.xml': Buffer.alloc(3 * MIB) }),
      /larger/,
    ],
    [
      'a manifest that is larger than the archive declares',
      makeZip({ 'AndroidManifest.xml': Buffer.alloc(MIB) }, { claims: { 'AndroidManifest.xml': 10 } }),
      /differs from the declared size/,
    ],
    [
      'a bundle within a bundle',
      makeZip({ 'a.apk': makeZip({ 'b.apk': makeApk() }) }),
      /does not contain AndroidManifest.xml/,
    ],
    ['splits without a base', makeZip({ 'a.apk': makeApk({ split: 'a' }) }), /none of its APKs is the base/],
    [
      'APKs of two apps',
      makeZip({ 'a.apk': makeApk(), 'b.apk': makeApk({ packageName: 'com.other', split: 'b' }) }),
      /several apps: com.example.app, com.other/,
    ],
  ])('%s', async (_, bytes, reason) => {
    await expect(read(bytes)).rejects.toThrow(reason);
  });

  test('an archive whose entry names are too long', async () => {
    const names = Array.from({ length: 520 }, (_, n) => [`${n}`.padEnd(0xffff, 'x'), Buffer.alloc(0)]);
    await expect(read(makeZip(Object.fromEntries(names)))).rejects.toThrow(
      /names of its entries are too long/,
    );
  });

  test('overlapping strings that would exhaust the memory', async () => {
    const pool = stringPool(['x'.repeat(2000), ...Array.from({ length: 500 }, () => '')]);
    for (let index = 0; index < 501; index++) pool.writeUInt32LE(0, 28 + index * 4);
    const header = Buffer.alloc(8);
    header.writeUInt16LE(3, 0);
    header.writeUInt16LE(8, 2);
    const manifest = Buffer.concat([header, pool]);
    await expect(read(makeZip({ 'AndroidManifest.xml': manifest }))).rejects.toThrow(/overlap/);
  });
});

describe('a file with several APKs', () => {
  const base = makeApk({ label: 'Split app' });
  const german = makeApk({ split: 'config.de' });
  const arm = makeApk({ split: 'config.arm64_v8a' });

  test.each([
    ['SAI', { 'base.apk': base, 'split_config.de.apk': german, 'split_config.arm64_v8a.apk': arm }],
    [
      'bundletool',
      {
        'toc.pb': Buffer.from('table of contents'),
        'splits/base-master.apk': base,
        'splits/base-master_2.apk': base,
        'splits/base-de.apk': german,
        'splits/base-arm64_v8a.apk': arm,
        'standalones/standalone-arm64_v8a.apk': base,
      },
    ],
    [
      'an .xapk',
      {
        'manifest.json': Buffer.from('{}'),
        'com.example.app.apk': base,
        'config.de.apk': german,
        'config.arm64_v8a.apk': arm,
      },
    ],
  ])('is unpacked into the base and its splits: %s', async (_, content) => {
    expect(await read(makeZip(content))).toMatchObject({ label: 'Split app', split: null });
    const named = await files();
    expect(named.map((name) => name.replace(/^[12]/, 'n'))).toEqual(
      expect.arrayContaining(['0.apk', 'n.config.de.apk', 'n.config.arm64_v8a.apk']),
    );
    expect(named).toHaveLength(3);
    expect(await readFile(join(folder, '0.apk'))).toEqual(base);
    const bytesOf = (end: string) => readFile(join(folder, named.find((name) => name.endsWith(end))!));
    expect(await bytesOf('.config.de.apk')).toEqual(german);
    expect(await bytesOf('.config.arm64_v8a.apk')).toEqual(arm);
  });

  test('keeps the file names of expansion files', async () => {
    const obb = 'Android/obb/com.example.app/main.12.com.example.app.obb';
    await read(makeZip({ 'base.apk': base, [obb]: Buffer.from('levels') }));
    expect(await files()).toEqual(['0.apk', 'main.12.com.example.app.obb']);
    expect(await readFile(join(folder, 'main.12.com.example.app.obb'), 'utf8')).toBe('levels');
  });

  test.each([
    'Android/obb/com.example.app/levels.bin',
    'Android/obb/com.other/main.1.com.other.obb',
    'Android/obb/com.example.app/../../../main.1.com.example.app.obb',
    'Android/obb/com.example.app/main.1.comXexample.app.obb',
  ])('is rejected with an expansion file that Android would not find: %s', async (name) => {
    // yauzl itself rejects a path that traverses out of the archive.
    await expect(read(makeZip({ 'base.apk': base, [name]: Buffer.from('x') }))).rejects.toThrow(
      /expansion file|invalid relative path/,
    );
  });

  test('is rejected if its expansion files exceed the remaining size limit', async () => {
    const obb = 'Android/obb/com.example.app/main.12.com.example.app.obb';
    const large = makeZip({ 'base.apk': base, [obb]: Buffer.alloc(5000) });
    await expect(read(large, base.length + 4000)).rejects.toThrow(/larger than 4000 bytes/);
  });

  test('is rejected if a split has a path as its name', async () => {
    const wrong = makeApk({ split: '../config.de' });
    await expect(read(makeZip({ 'a.apk': base, 'b.apk': wrong }))).rejects.toThrow(/split whose name/);
  });

  test('is rejected if it exceeds the size limit once decompressed', async () => {
    const large = makeZip({ 'base.apk': makeApk({ files: { zeros: Buffer.alloc(10_000) } }) });
    await expect(read(large, 200)).rejects.toThrow(/larger than 200 bytes/);
  });

  test('is rejected if its APKs have too many entries together', async () => {
    const bundle = makeZip({ 'base.apk': base, 'de.apk': german, 'arm.apk': arm });
    expect(await read(bundle, MIB, { maxEntries: 6 })).toMatchObject({ label: 'Split app' });
    await expect(read(bundle, MIB, { maxEntries: 5 })).rejects.toThrow('it has more than 200000 entries');
  });

  test('is rejected if it contains too many APKs', async () => {
    const many = Object.fromEntries(Array.from({ length: 251 }, (_, n) => [`${n}.apk`, german]));
    await expect(read(makeZip(many))).rejects.toThrow(/more than 250 APKs/);
  });
});
