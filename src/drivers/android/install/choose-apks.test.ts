import { expect, test } from 'vitest';
import { chooseApks, type PhoneTraits } from './choose-apks.ts';

const PIXEL: PhoneTraits = { abis: ['arm64-v8a', 'armeabi-v7a'], density: 420, languages: ['en', 'he'] };

const choose = (names: string[], phone = PIXEL) =>
  chooseApks(
    names.map((name) => `/apps/a/${name}.apk`),
    phone,
  ).map((file) => file.slice('/apps/a/'.length, -'.apk'.length));

test.each([
  ['a single APK', ['0'], ['0']],
  ['the base and features', ['0', '1.maps', '2.camera'], ['0', '1.maps', '2.camera']],
  [
    'the split for its processor',
    ['0', '1.config.armeabi_v7a', '2.config.arm64_v8a', '3.config.x86'],
    ['0', '2.config.arm64_v8a'],
  ],
  [
    'the split for its next best processor',
    ['0', '1.config.x86', '2.config.armeabi_v7a'],
    ['0', '2.config.armeabi_v7a'],
  ],
  [
    'the lowest density that is sufficient',
    ['1.config.hdpi', '2.config.xxhdpi', '3.config.xxxhdpi'],
    ['2.config.xxhdpi'],
  ],
  ['the highest density if none is sufficient', ['1.config.mdpi', '2.config.hdpi'], ['2.config.hdpi']],
  [
    'its languages, including legacy codes',
    ['1.config.en', '2.config.de', '3.config.iw', '4.config.fil'],
    ['1.config.en', '3.config.iw'],
  ],
  [
    'the matching splits of each feature',
    ['0', '1.maps', '2.maps.config.arm64_v8a', '3.maps.config.x86', '4.maps.config.de'],
    ['0', '1.maps', '2.maps.config.arm64_v8a'],
  ],
  [
    'splits for other configurations',
    ['0', '1.config.astc', '2.config.tier_1'],
    ['0', '1.config.astc', '2.config.tier_1'],
  ],
  [
    'splits with Android’s own names',
    ['base', 'split_config.en', 'split_config.de'],
    ['base', 'split_config.en'],
  ],
])('keeps %s', (_, names, kept) => {
  expect(choose(names)).toEqual(kept);
});

test('rejects an app for other processors and names both', () => {
  const names = ['0', '1.config.x86', '2.config.x86_64', '3.maps.config.x86'];
  expect(() => choose(names)).toThrow(
    'the app contains code for x86, x86_64, but not for this phone (arm64_v8a, armeabi_v7a); upload a build that does',
  );
});
