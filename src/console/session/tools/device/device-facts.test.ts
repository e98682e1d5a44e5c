import { expect, test } from 'vitest';
import { factsOf } from './device-facts.ts';

const device = {
  ...{ id: 'and-1', name: 'Pixel 8', brand: 'google', model: 'Pixel 8', os_version: '15' },
  ...{ screen_size: '6.2', resolution: '1080x2400', status: 'busy' },
} as Parameters<typeof factsOf>[0];

test('shows the description of a phone that reports nothing else', () => {
  expect(factsOf(device, undefined)).toEqual([
    ['Version', 'Android 15'],
    ['Model', 'Pixel 8'],
    ['Screen', '1080 × 2400'],
  ]);
  expect(factsOf(undefined, undefined)).toEqual([]);
});

test('shows what the phone reports', () => {
  const facts = factsOf(device, {
    ...{ os_version: '15.0.1', api_level: 35, security_patch: '2025-06-05', manufacturer: 'Google' },
    screen: { width: 1080, height: 2400, density: 420 },
    battery: { percent: 71, charging: true },
    storage: { total_bytes: 128e9, free_bytes: 60e9 },
    network: { kind: 'wifi', name: 'Lab', addresses: ['10.0.0.7', 'fd00::7'] },
  });
  expect(Object.fromEntries(facts)).toEqual({
    Version: 'Android 15.0.1 (API level 35)',
    'Security patch': '2025-06-05',
    Model: 'Google Pixel 8',
    Screen: '1080 × 2400, 420 dpi',
    Battery: '71 %, charging',
    Storage: '60 GB free of 128 GB',
    Network: 'Wi-Fi, “Lab”, 10.0.0.7, fd00::7',
  });
});
