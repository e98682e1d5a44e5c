import { expect, test } from 'vitest';
import { mayBeApp } from './app-files.ts';

const zip = (name: string) => new File([Uint8Array.of(0x50, 0x4b, 3, 4, 20)], name);

test.each(['shop.apk', 'Shop.APK', 'shop.apks', 'shop.xapk'])('accepts %s', async (name) => {
  expect(await mayBeApp(zip(name))).toBe(true);
});

test('rejects a file with another name, other content or none, and a folder', async () => {
  expect(await mayBeApp(zip('photos.zip'))).toBe(false);
  expect(await mayBeApp(new File(['hello'], 'shop.apk'))).toBe(false);
  expect(await mayBeApp(new File([], 'shop.apk'))).toBe(false);
  const unreadable = { arrayBuffer: () => Promise.reject(new Error('this is a folder')) } as Blob;
  expect(await mayBeApp({ name: 'folder.apk', slice: () => unreadable })).toBe(false);
});
