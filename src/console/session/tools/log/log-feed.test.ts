import { expect, test } from 'vitest';
import { LogFeed, MAX_LINES } from './log-feed.ts';

const line = (message: string) => ({ time: '2026-01-01T00:00:00.000Z', level: 'I', tag: 'test', message });

test('keeps the newest lines, numbered, up to its capacity', () => {
  const feed = new LogFeed((run) => run());
  for (let at = 0; at < MAX_LINES + 700; at += 1) feed.add(line(`line ${at}`));
  const lines = feed.list();
  expect(lines).toHaveLength(MAX_LINES);
  expect(lines[0]).toMatchObject({ number: 700, message: 'line 700' });
  expect(lines.at(-1)?.message).toBe(`line ${MAX_LINES + 699}`);
  feed.clear();
  expect(feed.list()).toEqual([]);
  feed.add(line('after'));
  expect(feed.list()[0]?.number).toBe(MAX_LINES + 700);
});

test('notifies once about a batch of lines', () => {
  const delayed: (() => void)[] = [];
  const feed = new LogFeed((run) => delayed.push(run));
  let notifications = 0;
  feed.subscribe(() => {
    notifications += 1;
  });
  feed.add(line('one'));
  feed.add(line('two'));
  expect(feed.list()).toEqual([]);
  for (const run of delayed) run();
  expect(delayed).toHaveLength(1);
  expect(notifications).toBe(1);
  expect(feed.list()).toHaveLength(2);
});
