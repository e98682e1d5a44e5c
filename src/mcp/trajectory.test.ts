import { expect, test } from 'vitest';
import { readTrajectory } from './trajectory.ts';

const EVENTS = [
  { t: 0, type: 'started', at: '2026-05-04T08:00:00.000Z', session_id: 'ses_1' },
  { t: 1200, type: 'mark', label: 'tap\u001b[2J element="e4"' },
  { t: 1240, type: 'command', method: 'tap', params: { x: 0.5, y: 0.25 }, by: 'controller', ms: 35.4 },
  { t: 2000, type: 'touch', pointer: 0, action: 'move', x: 0.1, y: 0.2 },
  { t: 2500, type: 'of a later version' },
  { t: 3000, type: 'command', method: 'app.launch', params: {}, by: 'api', ms: 5, error: 'no such app' },
  { t: 3500, type: 'webdriver', name: 'findElement', ms: 12 },
  { t: 60_000, type: 'stopped', reason: 'the quota is used up' },
];

/** The lines in chunks of a few bytes, so that lines and characters are split between them. */
async function* inChunks(text: string): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
}
const file = (events: object[], end = '') =>
  inChunks(`${events.map((event) => JSON.stringify(event)).join('\n')}\n${end}`);

test('returns one line per event, without what it does not know and an incomplete last line', async () => {
  const { lines, total, next } = await readTrajectory(file(EVENTS, '{"t":61'), { offset: 0, limit: 100 });
  expect(lines).toEqual([
    '0.0 s  started at 2026-05-04T08:00:00.000Z',
    '1.2 s  mark: tap [2J element="e4"',
    '1.2 s  tap {"x":0.5,"y":0.25} by controller, 35 ms',
    '3.0 s  app.launch {} by api, 5 ms, failed: no such app',
    '3.5 s  WebDriver findElement, 12 ms',
    '60.0 s  the recording stopped: the quota is used up',
  ]);
  expect({ total, next }).toEqual({ total: 6, next: null });
});

test('returns a part, and where the next one begins', async () => {
  const part = await readTrajectory(file(EVENTS), { offset: 1, limit: 2 });
  expect(part).toMatchObject({
    lines: [/mark/, /tap/].map((line) => expect.stringMatching(line)),
    total: 6,
    next: 3,
  });
});

test('limits the length of the answer, whatever the events contain', async () => {
  const long = Array.from({ length: 200 }, (_, t) => ({ t, type: 'mark', label: 'x'.repeat(5_000) }));
  const huge = { t: 0, type: 'mark', label: 'x'.repeat(100_000) };
  const { lines, total, next } = await readTrajectory(file([huge, ...long]), { offset: 0, limit: 500 });
  expect(lines.join('\n').length).toBeLessThan(20_001);
  expect({ total, next }).toEqual({ total: 200, next: lines.length });
});
