import { expect, test } from 'vitest';
import { parseProperties, toFacts } from './phone-description.ts';

const GETPROP = `[ro.build.version.release]: [14]
[ro.build.version.sdk]: [34]
[ro.product.brand]: [google]
[ro.product.model]: [Pixel 8]
[ro.serialno]: [3A021FDJH0012B]
[persist.odd]: [two
lines]
[sys.boot_completed]: [1]
`;
const OUTPUTS = {
  size: 'Physical size: 1080x2400\nOverride size: 720x1600\n',
  density: 'Physical density: 420\n',
  displays:
    '  DisplayDeviceInfo{"Built-in Screen": 1080 x 2400, modeId 1, density 420, 428.625 x 427.789 dpi, touch',
  battery: 'Current Battery Service state:\n  AC powered: false\n  status: 3\n  level: 71\n  scale: 100\n',
};

const facts = (changes: Record<string, string> = {}, outputs: Partial<typeof OUTPUTS> = {}) => {
  const properties = parseProperties(GETPROP);
  for (const [name, value] of Object.entries(changes)) properties.set(name, value);
  return toFacts(properties, { ...OUTPUTS, ...outputs }, '10.0.0.7:5555');
};

test('describes a phone by its properties, its physical size and its panel', () => {
  expect(facts()).toEqual({
    serialNumber: '3A021FDJH0012B',
    sdk: 34,
    description: {
      name: 'Google Pixel 8',
      brand: 'google',
      model: 'Pixel 8',
      os_version: '14',
      screen_size: '6.2',
      resolution: '1080x2400',
      platform: 'android',
      kind: 'physical',
      battery_percent: 71,
    },
  });
});

test('has no battery if the phone does not report its level', () => {
  const battery = (text: string) => facts({}, { battery: text }).description.battery_percent;
  expect(battery("Can't find service: battery")).toBeNull();
  expect(battery('  level: 71\n  scale: 0\n')).toBeNull();
  expect(battery('  level: 30\n  scale: 60\n')).toBe(50);
});

test('prefers the marketing name and does not repeat the brand', () => {
  const name = (changes: Record<string, string>) => facts(changes).description.name;
  expect(name({ 'ro.product.brand': 'Xiaomi', 'ro.product.marketname': 'Xiaomi 14' })).toBe('Xiaomi 14');
  expect(name({ 'ro.product.brand': 'samsung', 'ro.product.model': 'SM-S911B' })).toBe('Samsung SM-S911B');
});

test('uses the rounded density if the panel reports an implausible one', () => {
  expect(facts({}, { displays: '1080 x 2400, 1.0 x 1.0 dpi' }).description.screen_size).toBe('6.3');
  expect(facts({}, { displays: '' }).description.screen_size).toBe('6.3');
});

test('uses the major version, and the adb serial if the phone reports none', () => {
  expect(facts({ 'ro.build.version.release': '8.1.0' }).description.os_version).toBe('8');
  expect(facts({ 'ro.serialno': '' }).serialNumber).toBe('10.0.0.7:5555');
});

test('rejects a phone without a size', () => {
  expect(() => facts({}, { size: 'error: no display' })).toThrow('did not report its screen size');
});
