import { expect, test } from 'vitest';
import { sanitiseReport } from './sanitise.ts';

const description = {
  id: 'and-1',
  name: 'Pixel 8',
  brand: 'google',
  model: 'GX7AS',
  os_version: '14',
  screen_size: '6.1',
  resolution: '1080x2400',
};
const phone = { description, usable: true, problem: null, cleanEpoch: null, lease: null };
const report = (...phones: (typeof phone)[]) => ({ hostName: 'shelf', complete: true, phones });

test('leaves a valid report unchanged', () => {
  expect(sanitiseReport(report(phone))).toEqual({ report: report(phone), invalidIds: 0 });
});

test.each(['', 'a\nb', 'a\0b', '/../x', 'a b', 'a\u202eb', 'x'.repeat(129)])(
  'drops a phone with the identifier %j and keeps the others',
  (id) => {
    const bad = { ...phone, description: { ...description, id } };
    expect(sanitiseReport(report(bad, phone))).toEqual({ report: report(phone), invalidIds: 1 });
  },
);

test('strips control and bidirectional characters from every text, joins its lines and bounds its length', () => {
  const sly = `\u001b[31mred\u202etxt\u0000\n${'x'.repeat(2_000)}`;
  const app = { request: 1, status: 'failed' as const, error: sly };
  const bad = {
    ...phone,
    description: { ...description, name: sly, brand: sly, model: sly, os_version: sly },
    problem: sly,
    lease: { sessionId: 's', epoch: 1, connected: true, app },
  };
  const { report: safe } = sanitiseReport({ hostName: sly, complete: true, phones: [bad] });
  const [{ description: said, problem, lease }] = safe.phones as [(typeof safe.phones)[0]];
  const texts = [safe.hostName, said.name, said.brand, said.model, said.os_version];
  for (const text of texts) expect(text).toMatch(/^\[31mred txt x{80,90}$/);
  for (const text of [problem, lease!.app!.error]) expect(text).toMatch(/^\[31mred txt x{480,490}$/);
});

test('uses the identifier as the name of a phone whose name consists of control characters', () => {
  const nameless = { ...phone, description: { ...description, name: '\u0007\u202e' } };
  expect(sanitiseReport(report(nameless)).report.phones[0]!.description.name).toBe('and-1');
});
