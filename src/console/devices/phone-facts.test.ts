import { expect, test } from 'vitest';
import { modelName, vendorName } from './phone-facts.ts';

test('writes vendors as they do themselves', () => {
  const brands = ['google', 'samsung', 'oneplus', 'oppo', 'htc', 'vivo', 'LGE', 'unknown'];
  expect(brands.map(vendorName)).toEqual([
    ...['Google', 'Samsung', 'OnePlus', 'OPPO', 'HTC', 'vivo', 'LG', 'Unknown'],
  ]);
});

test('does not repeat the vendor before a model that starts with it', () => {
  expect(modelName({ brand: 'samsung', model: 'SM-S911B' })).toBe('Samsung SM-S911B');
  expect(modelName({ brand: 'motorola', model: 'motorola edge 40' })).toBe('Motorola edge 40');
});
