import { expect, it } from 'vitest';
import { type LogLine, LogLines } from './log-lines.ts';

it('drops lines above the rate limit and reports how many', () => {
  let now = 0;
  const lines: LogLine[] = [];
  const clock = { now: () => now, date: () => new Date(now), after: () => () => {} };
  const log = new LogLines(clock, (line) => lines.push(line));
  log.write('I', 'tag', 'no subscriber');
  log.turn(true);
  for (let count = 0; count < 150; count++) log.write('I', 'tag', `line ${count}`);
  expect(lines).toHaveLength(100);
  now = 1000;
  log.write('I', 'tag', 'later');
  expect(lines.slice(100).map(({ message }) => message)).toEqual([
    '50 lines were dropped: the limit is 100 in a second',
    'later',
  ]);
  log.turn(false);
  log.write('I', 'tag', 'over');
  expect(lines).toHaveLength(102);
});
